/*
 * Creates a data folder with this release, and records what it answers, for tests/crash/upgrade.test.ts of later
 * releases:
 *
 *   node bin/runtime.js scripts/make-upgrade-fixture.ts [NAME] [FOLDER OF THE CODE]
 *
 * NAME is the version of the release by default, FOLDER OF THE CODE this repository. Run it when a release is made.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { constants, zstdCompressSync } from 'node:zlib';
import { type Question, sampleQuestions } from '../src/cli/sample-questions.ts';
import { poll } from '../tests/support/poll.ts';
import { makeDataDir, type Service, startService } from '../tests/support/service.ts';
import { type Asker, addLateEvents, lastDay, makeContents } from '../tests/support/upgrade-contents.ts';
import {
  type ProjectOfRelease,
  type RecordedAnswer,
  toComparable,
  type UpgradeHeader,
  upgradesDir,
} from '../tests/support/upgrades.ts';

const [name, sourceArgument] = process.argv.slice(2);
const source = resolve(sourceArgument ?? join(import.meta.dirname, '..'));
const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string };
const folder = join(upgradesDir, name ?? version);
const dataDir = makeDataDir();
/** When no day has been sealed for this long, all are, in milliseconds. */
const quietMs = 5_000;

const start = (sealAfterSeconds: number): Promise<Service> =>
  startService({ dataDir, source, env: { FARTHING_SEAL_AFTER_SECONDS: String(sealAfterSeconds) } });

interface Request {
  readonly token: string;
  readonly project?: string | undefined;
  readonly body?: unknown;
}

/** The answer, or the status of a refusal. Repeated while the status is 503. */
async function send(method: string, url: string, { token, project, body }: Request): Promise<unknown> {
  const found = await poll(`${method} ${url}`, { within: 60_000, every: 200 }, async () => {
    const answer = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(project !== undefined && { 'farthing-project': project }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return answer.status === 503 ? undefined : { status: answer.status, text };
  });
  if (found.status >= 300) return found.status;
  return found.text === '' ? {} : JSON.parse(found.text);
}

const askerOf = ({ url, adminToken }: Service): Asker => ({
  ask: async (method, path, body, project) => {
    const answer = await send(method, `${url}${path}`, { token: adminToken, project, body });
    if (typeof answer === 'number') throw new Error(`${method} ${path} was answered with ${answer}`);
    return answer as Record<string, unknown>;
  },
  post: async ({ client_id: clientId, secret }, events) => {
    const answer = await send('POST', `${url}/intake/${clientId}/`, { token: secret, body: events });
    if (typeof answer === 'number') throw new Error(`events were answered with ${answer}`);
  },
});

const readMetric = async (service: Service, metric: string): Promise<number> => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(new RegExp(`^${metric} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
};

/** Waits until requested background work is done, and all days are sealed. */
async function untilQuiet(service: Service, projects: readonly ProjectOfRelease[]): Promise<void> {
  const { ask } = askerOf(service);
  for (const { id } of projects) {
    await poll(`the rebuilds of ${id}`, { within: 120_000, every: 200 }, async () => {
      const [rebuilds, reprices, erasures] = await Promise.all([
        ask('GET', `/admin/projects/${id}/rebuilds/`),
        ask('GET', '/api/prices/reprices/', undefined, id),
        ask('GET', '/api/erasures/', undefined, id),
      ]);
      const text = JSON.stringify([rebuilds, reprices, erasures]);
      return /"state":"(?:queued|running)"|"finished_at":null/.test(text) ? undefined : true;
    });
  }
  let sealed = -1;
  for (let now = 0; now !== sealed; now = await readMetric(service, 'farthing_days_sealed_total')) {
    sealed = now;
    await sleep(quietMs);
  }
}

const range = { date_from: '2025-11-01', date_to: lastDay };

/** Questions about a project, beside the sample that `farthing move` asks. */
async function furtherQuestions({ ask }: Asker, { id, type }: ProjectOfRelease): Promise<Question[]> {
  const post = (path: string, body: object): Question => ({ method: 'POST', path, body: { ...range, ...body } });
  const listed = (await ask('POST', '/api/calls/', { ...range, limit: 10 }, id)) as { rows: { event_id: string }[] };
  const filters = [
    { customers: ['acme', ''] },
    { features: ['chat'], group_by: 'model' },
    { customer_tags: { plan: ['pro', 'free'] }, group_by: 'customer' },
    { run_tags: { stage: 'final' }, group_by: 'feature' },
  ];
  return [
    ...filters.map((filter) => post('/api/costs/', { aggregate: 'week', apply_credits: true, ...filter })),
    ...(type === 'revenue'
      ? [post('/api/margin/', { group_by: 'customer', filter_customers_based_on_features: ['chat'] })]
      : [post('/api/performance/', { group_by: 'user', user_tags: { team: 'team-1' } })]),
    ...listed.rows.map(({ event_id }): Question => ({ method: 'GET', path: `/api/calls/${event_id}/` })),
    { method: 'GET', path: '/api/runs/run-3/' },
  ];
}

/** Records what the service answers, except questions that this release does not know. */
async function readAnswers(service: Service, projects: readonly ProjectOfRelease[]): Promise<RecordedAnswer[]> {
  const answers: RecordedAnswer[] = [];
  const note = async (project: string, { method, path, body }: Question) => {
    const answer = await send(method, `${service.url}${path}`, {
      token: service.adminToken,
      project: project || undefined,
      body,
    });
    if (typeof answer === 'number') console.log(`${method} ${path} is left out: it was answered with ${answer}.`);
    else answers.push({ project, method, path, body, answer: toComparable(answer) });
  };
  await note('', { method: 'GET', path: '/admin/projects/' });
  for (const project of projects) {
    for (const path of ['clients', 'api-keys', 'rebuilds']) {
      await note('', { method: 'GET', path: `/admin/projects/${project.id}/${path}/` });
    }
    const further = await furtherQuestions(askerOf(service), project);
    for (const { body, ...question } of [...sampleQuestions(project.type, lastDay), ...further]) {
      // Years without calls show little and take much space.
      await note(project.id, { ...question, ...(body !== undefined && { body: { ...body, ...range } }) });
    }
  }
  return answers;
}

let service = await start(0);
const projects = await makeContents(askerOf(service));
await untilQuiet(service, projects);
const sealed = await readMetric(service, 'farthing_days_sealed_total');
await service.stop();

// Some days are left unsealed.
service = await start(86_400);
await addLateEvents(askerOf(service), projects);
const answers = await readAnswers(service, projects);
const header: UpgradeHeader = { version, admin_token: service.adminToken, projects };
const { code } = await service.stop();
if (code !== 0) throw new Error(`the service ended with ${code}`);

mkdirSync(folder, { recursive: true });
const lines = [header, ...answers].map((line) => `${JSON.stringify(line)}\n`);
const tar = execFileSync('tar', ['-c', '--owner=0', '--group=0', '--numeric-owner', '-C', dataDir, '.'], {
  maxBuffer: 2 ** 30,
});
const pack = (content: string | Buffer): Buffer =>
  zstdCompressSync(content, {
    params: { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_windowLog]: 25 },
  });
const files = { 'data.tar.zst': pack(tar), 'answers.ndjson.zst': pack(lines.join('')) };
for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
const bytes = Object.values(files).reduce((sum, { length }) => sum + length, 0);
console.log(`${folder}: ${answers.length} answers, ${sealed} days sealed, ${bytes} bytes.`);
