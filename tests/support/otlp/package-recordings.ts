import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { toEvent } from '../../../src/ingest/gateways/outcome-event.ts';
import { importSources } from '../../../src/ingest/imports/sources.ts';
import type { Call } from '../calls.ts';
import type { Answer, Json, Project } from '../client.ts';
import { type Encoding, postOtlp } from './post.ts';

/**
 * What real packages of Python and of Node (`node-…`) sent against a provider whose answers are known: `truth` has the
 * model and the tokens of each, `versions` the packages. Prompts, answers and arguments hold the word `zebra`.
 * `expected.json` beside them says what they cost, and whose calls they are.
 */
export interface PackageRecording {
  readonly name: string;
  readonly versions: string;
  readonly truth: readonly { readonly tokens?: Readonly<Record<string, number>> }[];
  /**
   * The requests in order. `route` comes after the address of the client, but for Langfuse's; OTLP is JSON with hexadecimal
   * ids. `import/litellm` are rows of spend logs.
   */
  readonly posts: readonly { readonly route: string; readonly body: Json }[];
}

const folder = new URL('../../fixtures/recordings/', import.meta.url);

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));

export const packageRecordings: readonly string[] = readdirSync(folder)
  .map((file) => file.replace(/\.json$/, ''))
  .filter((name) => name !== 'expected')
  .sort();

export const packageRecording = (name: string): PackageRecording => read(name) as PackageRecording;

/** What a recording costs, and whose calls it has; see the README of the recordings. */
export interface Expectation {
  readonly calls: number;
  readonly cost: number;
  readonly customer?: string;
  readonly user?: string;
  readonly feature?: string;
  readonly told?: boolean;
  readonly or?: number | readonly number[];
  readonly orTold?: boolean;
  readonly notModels?: readonly string[];
  readonly notUsers?: readonly string[];
  /** The tokens and seconds of all its calls, by bucket and unit. */
  readonly tokens?: Readonly<Record<string, number>>;
  /** What the provider charged, where spans say too little to know it. */
  readonly charged?: number;
}

/** The sums of counts above 0. */
export function sumCounts(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const count of counts) {
    for (const [name, value] of Object.entries(count)) if (value > 0) sums[name] = (sums[name] ?? 0) + value;
  }
  return sums;
}

const expectations = read('expected') as Readonly<Record<string, Expectation>>;

export const expectationOf = (name: string): Expectation => expectations[name] ?? { calls: 0, cost: 0 };

/** What of the calls of a recording is not as expected. */
export function faultsOf(calls: readonly Call[], expected: Expectation): string[] {
  const cost = calls.reduce((sum, call) => sum + call.cost, 0);
  const right = [expected.cost, ...[expected.or ?? []].flat()];
  const isTold = ({ cost_source: source, partly_priced: partly }: Call) => source === 'unpriced' || partly.length > 0;
  const isRight = right.some((one) => Math.abs(one - cost) < 1e-9) || (expected.orTold === true && cost === 0);
  const faults: string[] = [];
  if (calls.length !== expected.calls) faults.push(`${calls.length} calls instead of ${expected.calls}`);
  if (!isRight) faults.push(`${cost} instead of ${right.join(' or ')}`);
  if (expected.told === true && !calls.every(isTold)) faults.push('not told');
  for (const dimension of ['customer', 'user', 'feature'] as const) {
    const named = [...new Set(calls.map((call) => call[dimension]))];
    if (expected[dimension] !== undefined && named.join() !== expected[dimension]) faults.push(`${dimension} ${named}`);
  }
  const counted = sumCounts(calls.flatMap(({ tokens, units }) => [tokens, units]));
  if (expected.tokens !== undefined && !isDeepStrictEqual(counted, expected.tokens))
    faults.push(`${JSON.stringify(counted)} instead of ${JSON.stringify(expected.tokens)}`);
  for (const { model, user } of calls) {
    if (expected.notModels?.includes(model)) faults.push(`model ${model}`);
    if (expected.notUsers?.includes(user)) faults.push(`user ${user}`);
  }
  return faults;
}

/** Posts the requests of a recording as they were sent, OTLP in this encoding. */
export async function postRecording(
  project: Project,
  { posts }: PackageRecording,
  encoding: Encoding = 'json',
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { route, body } of posts) answers.push(await postAs(project, route, body, encoding));
  return answers;
}

function postAs(project: Project, route: string, body: Json, encoding: Encoding): Promise<Answer> {
  if (route.startsWith('v1/')) return postOtlp(project, body, encoding);
  if (route === 'import/litellm') return project.intake({ body: rowsToEvents(body) });
  if (!route.startsWith('api/'))
    return project.farthing.send('POST', `${project.intakePath}${route}`, { token: project.secret, body });
  const authorization = `Basic ${Buffer.from(`${project.clientId}:${project.secret}`).toString('base64')}`;
  return project.farthing.send('POST', `/${route}`, { headers: { authorization }, body });
}

/** The events that an import of rows of spend logs posts. */
const rowsToEvents = (rows: unknown): Json[] =>
  (rows as Json[]).flatMap((row) => {
    const reading = importSources.litellm.read(row);
    return reading.kind === 'calls' ? reading.outcomes.map((outcome) => toEvent(outcome, false)) : [];
  });
