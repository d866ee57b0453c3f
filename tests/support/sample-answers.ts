// The answers to a sample of questions about every project, to compare before and after an operation.
import fc from 'fast-check';
import { type Question, sampleQuestions } from '../../src/cli/sample-questions.ts';
import { changesOfInternalProject, changesOfRevenueProject } from './arbitraries/changes.ts';
import { denseDays } from './arbitraries/names.ts';
import { makeChange } from './changes.ts';
import { expectStatus, type Farthing, type Project, send } from './client.ts';
import { someOf } from './effort.ts';
import { poll } from './poll.ts';
import { makeCallIds, storeHistory } from './stored-history.ts';

/** The last day of the questions: no timezone reaches it while tests run, so they ask for the same days before and after. */
const lastDay = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);

/** Every answer about all projects but those of `except`; in the usual form those to six questions about each. */
export async function readAnswers(farthing: Farthing, except: readonly Project[] = []): Promise<Map<string, string>> {
  const listed = expectStatus(await farthing.admin('GET', '/admin/projects/'), 200) as {
    projects: { id: string; type: 'revenue' | 'internal' }[];
  };
  const answers = new Map<string, string>([['projects', JSON.stringify(listed)]]);
  const asked = listed.projects.filter(({ id }) => except.every((project) => project.id !== id));
  await Promise.all(
    asked.map(async ({ id, type }) => {
      for (const path of ['clients', 'api-keys', 'rebuilds']) {
        const { text } = await farthing.admin('GET', `/admin/projects/${id}/${path}/`);
        // The time of last use may lag by a minute (D1.4).
        answers.set(`${id} ${path}`, text.replaceAll(/"last_used_at":(?:null|"[^"]+")/g, '"last_used_at":null'));
      }
      answers.set(`${id} audit`, (await farthing.admin('GET', `/admin/audit/?project_id=${id}&limit=1000`)).text);
      const questions = sampleQuestions(type, lastDay);
      // Nothing else shows whether each grant is there.
      const grants = questions.filter(({ path }) => path === '/api/credit-grants/');
      for (const question of new Set([...grants, ...someOf(questions, 6)])) {
        answers.set(`${id} ${JSON.stringify(question)}`, await ask(farthing, id, question));
      }
    }),
  );
  return answers;
}

/** The answer once all events have become calls; until then it is a 503. */
async function ask(
  { url, adminToken }: Farthing,
  projectId: string,
  { method, path, body }: Question,
): Promise<string> {
  const answer = await poll(`${path} is answered`, { within: 60_000, every: 200 }, async () => {
    const found = await send(method, `${url}${path}`, {
      token: adminToken,
      headers: { 'farthing-project': projectId },
      ...(body !== undefined && { body }),
    });
    return found.status === 503 ? undefined : found;
  });
  expectStatus(answer, 200);
  return answer.text;
}

/** Deletes the empty project of the first start, about which as much would be asked as about another. */
export async function deleteFirstProject(farthing: Farthing): Promise<void> {
  const { projects } = Object(expectStatus(await farthing.admin('GET', '/admin/projects/'), 200));
  for (const { id } of projects) expectStatus(await farthing.admin('DELETE', `/admin/projects/${id}/`), 204);
}

/** A project with events, prices, reprices, tags and credits, and with revenue or key metrics. */
export async function makeVariedProject(
  farthing: Farthing,
  type: 'revenue' | 'internal',
  seed: number,
): Promise<Project> {
  const nothing = { timezone: 'Europe/Berlin', batches: [], customerTags: [], userTags: [] };
  const arbitrary = type === 'revenue' ? changesOfRevenueProject(denseDays) : changesOfInternalProject(denseDays);
  const [changes = []] = fc.sample(arbitrary, { seed, numRuns: 1 });
  const { project, model: empty } = await storeHistory(farthing, nothing, { type });
  const ids = makeCallIds();
  let model = empty;
  for (const change of changes) model = await makeChange({ project, model }, change, ids);
  return project;
}
