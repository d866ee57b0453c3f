// Makes closes, and asks every kind of question as of one, as bytes.
import { z } from 'zod';
import { type Answer, expectStatus, type Json, onceCaughtUp, type Project } from './client.ts';
import { someOf } from './effort.ts';

const closeRecord = z.strictObject({
  id: z.string(),
  through: z.string(),
  created_at: z.string(),
  note: z.string().nullable(),
  timezone: z.string(),
  days: z.number().int(),
});
export type CloseRecord = z.infer<typeof closeRecord>;

export const postClose = (project: Project, through: string, fields: Json = {}): Promise<Answer> =>
  onceCaughtUp(() => project.api('POST', '/api/closes/', { through, ...fields }));

/** Closes all days up to one; the answer must be a success. */
export const closeDays = async (project: Project, through: string, fields: Json = {}): Promise<CloseRecord> =>
  closeRecord.parse(expectStatus(await postClose(project, through, fields), 201));

const listed = z.object({ closes: z.array(closeRecord), next_cursor: z.string().nullable(), has_more: z.boolean() });

export const listCloses = async (project: Project, query = '') =>
  listed.parse(expectStatus(await project.api('GET', `/api/closes/${query}`), 200));

const groups = [undefined, 'customer', 'feature', 'model', 'provider'];
const granularities = ['day', 'week', 'month', 'all'];
/** One filter each, and mixtures that no grain of cells holds. */
const filters: readonly Json[] = [
  {},
  { customers: ['acme', 'bravo'] },
  { features: ['chat'] },
  { models: ['m1'] },
  { providers: ['openai', ''] },
  { customer_tags: { plan: 'pro' } },
  { run_tags: { job: 'nightly' } },
  { customers: ['acme'], features: ['chat'], models: ['m1', 'm2'] },
];

type Question = readonly [path: string, body: Json];

const isInternal = ({ record }: Project): boolean => record.type === 'internal';

/** A question to each route. They need the calls, and all facts that a close pins: tags, grants, and revenue or metrics. */
const examplesOf = (project: Project): Question[] => [
  ['/api/usage/', { group_by: 'model', customers: ['acme'] }],
  ...(isInternal(project)
    ? ([
        ['/api/costs/', { group_by: 'customer', apply_credits: true }],
        ['/api/performance/', { group_by: 'user', user_tags: { team: 'a' }, apply_credits: true }],
      ] as const)
    : ([
        ['/api/costs/', { group_by: 'customer', customer_tags: { plan: 'pro' }, apply_credits: true }],
        ['/api/margin/', { group_by: 'customer', aggregate: 'all', apply_credits: true }],
        ['/api/plans/', { aggregate: 'month', apply_credits: true }],
      ] as const)),
];

/** The questions that a test can ask, with the path of each. */
function* questionsOf(project: Project): Generator<Question> {
  for (const [at, filter] of filters.entries()) {
    for (const [place, group_by] of groups.entries()) {
      const aggregate = granularities[(at + place) % granularities.length];
      const body = { aggregate, ...(group_by !== undefined && { group_by }), ...filter };
      yield ['/api/costs/', { ...body, apply_credits: (at + place) % 2 === 1 }];
      yield ['/api/usage/', body];
    }
  }
  for (const aggregate of granularities) {
    for (const apply_credits of [false, true]) {
      if (isInternal(project)) {
        yield ['/api/performance/', { aggregate, apply_credits }];
        yield ['/api/performance/', { aggregate, apply_credits, group_by: 'user' }];
      } else {
        yield ['/api/margin/', { aggregate, apply_credits }];
        yield ['/api/margin/', { aggregate, apply_credits, group_by: 'customer' }];
      }
    }
  }
  if (isInternal(project)) {
    yield ['/api/performance/', { group_by: 'user', users: ['u1', 'u2'] }];
    yield ['/api/performance/', { group_by: 'user', user_tags: { team: 'a' } }];
    yield ['/api/performance/', { aggregate: 'all', filter_users_based_on_features: ['chat'] }];
  } else {
    yield ['/api/margin/', { group_by: 'customer', customers: ['acme'] }];
    yield ['/api/margin/', { aggregate: 'month', filter_customers_based_on_features: ['chat'] }];
  }
}

/**
 * The answers to the questions, as they are sent: each question with its text. In the usual form these are the examples and
 * `count` others.
 */
export async function askAll(project: Project, range: Json, count = 9): Promise<Map<string, string>> {
  const questions = [...examplesOf(project), ...someOf([...questionsOf(project)], count)].map(
    ([path, body]) => [path, { ...range, ...body, limit: 1000 }] as const,
  );
  const answers = new Map<string, string>();
  // A few at a time, as a page asks.
  for (let at = 0; at < questions.length; at += 8) {
    await Promise.all(
      questions.slice(at, at + 8).map(async ([path, body]) => {
        const answer = await onceCaughtUp(() => project.api('POST', path, body));
        expectStatus(answer, 200);
        answers.set(`${path} ${JSON.stringify({ ...body, as_of: undefined })}`, answer.text);
      }),
    );
  }
  return answers;
}

/** A question as it is sent. */
export interface Asked {
  readonly path: string;
  readonly body: Json;
}

/** The answers to some questions as of a close, as they are sent. */
export async function askAsOf(project: Project, { id }: CloseRecord, questions: readonly Asked[]): Promise<string[]> {
  const answers: string[] = [];
  for (const { path, body } of questions) {
    const answer = await onceCaughtUp(() => project.api('POST', path, { ...body, as_of: id }));
    expectStatus(answer, 200);
    answers.push(answer.text);
  }
  return answers;
}
