import { expect } from 'vitest';
import { z } from 'zod';
import { allCalls, type Call } from '../calls.ts';
import { type Answer, expectStatus, type Json, type Project, type SendOptions, wholeRange } from '../client.ts';
import { toProtobuf } from './protobuf.ts';

export type Encoding = 'json' | 'protobuf';
export const encodings: readonly Encoding[] = ['json', 'protobuf'];

const signalOf = (body: Json) => ('resourceLogs' in body ? 'logs' : 'traces');

/** Posts a request in an encoding. */
export const postOtlp = (
  project: Project,
  body: Json,
  encoding: Encoding = 'json',
  options: SendOptions = {},
): Promise<Answer> =>
  project.farthing.send('POST', `/intake/${project.clientId}/v1/${signalOf(body)}`, {
    token: project.secret,
    ...(encoding === 'json' ? { body } : { raw: toProtobuf(body), contentType: 'application/x-protobuf' }),
    ...options,
  });

/** Posts a request whose records must all be taken. */
export async function sendOtlp(project: Project, body: Json, encoding: Encoding = 'json'): Promise<void> {
  const answer = await postOtlp(project, body, encoding);
  expectStatus(answer, 200);
  expect(answer.text).toBe(encoding === 'json' ? '{}' : '');
}

const partial = z.strictObject({
  partialSuccess: z.strictObject({
    rejectedSpans: z.string().optional(),
    rejectedLogRecords: z.string().optional(),
    errorMessage: z.string(),
  }),
});

/** The number of records that could not be read, and why, as an answer in JSON reports them. */
export function expectPartial(answer: Answer): { rejected: number; message: string } {
  const { rejectedSpans, rejectedLogRecords, errorMessage } = partial.parse(expectStatus(answer, 200)).partialSuccess;
  return { rejected: Number(rejectedSpans ?? rejectedLogRecords), message: errorMessage };
}

const status = z.strictObject({ code: z.number().int(), message: z.string() });

/** The `google.rpc.Status` of a refusal in JSON. */
export function expectRefused(answer: Answer, httpStatus: number): z.infer<typeof status> {
  expect(answer.headers.get('content-type')).toBe('application/json');
  return status.parse(expectStatus(answer, httpStatus));
}

/** A project with a price for the model `m1`: 1 USD a million tokens of input, 10 of output. */
export async function pricedProject(makeProject: () => Promise<Project>): Promise<Project> {
  const project = await makeProject();
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 10 });
  return project;
}

/** All calls of a project. */
export const callsIn = (project: Project): Promise<Call[]> => allCalls(project, { ...wholeRange, row: wholeRange });

/** All events of a project, newest first; at most a page. */
export async function eventsIn(project: Project): Promise<Json[]> {
  const { rows } = expectStatus(await project.api('GET', '/api/events/?limit=1000'), 200) as {
    rows: { event: Json }[];
  };
  return rows.map(({ event }) => event);
}
