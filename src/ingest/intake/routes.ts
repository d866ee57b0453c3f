import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Projects } from '../../accounts/projects.ts';
import { type EventLimits, eventSchema, readEvent } from '../../calls/events/event.ts';
import type { EventToStore } from '../../calls/events/event-columns.ts';
import type { App } from '../../lib/http/app.ts';
import { problemWith } from '../../lib/http/problem-schema.ts';
import { type FaultCode, Problem } from '../../lib/problem.ts';
import type { Slices } from '../../lib/slices.ts';
import { type AdmissionOptions, admitClients } from './admission.ts';
import {
  type BodyFormat,
  eventsTogether,
  isLargeEvent,
  notJson,
  notJsonProblem,
  parseEvent,
  parseEventInSlices,
  parseTogether,
  splitBody,
} from './body.ts';
import type { IntakeBuffer } from './buffer.ts';
import type { ParseQueue } from './parse-queue.ts';
import { type BodyContext, noFaults, type ReadBody, type RecordRoute, refusal, toEvents } from './records.ts';

export interface IntakeOptions extends AdmissionOptions {
  readonly buffer: IntakeBuffer;
  readonly limits: EventLimits & { readonly maxEventBytes: number; readonly maxRequestBytes: number };
  /** Further paths of a client, for records that others define (D16.1). */
  readonly recordRoutes: readonly RecordRoute[];
  readonly projects: Projects;
}

/** A body that is read and decoded, but not yet parsed: events keep the text that they were sent with. */
interface RawBody {
  readonly bytes: Buffer;
  readonly format: BodyFormat;
}

const params = z.object({
  client_id: z
    .string()
    .describe('The id of the client that posts.')
    .meta({ examples: ['5045c1bc-35bb-4b21-9000-5e51e7ed8e36'] }),
});
const consumes = ['application/json', 'application/x-ndjson'];
const response = {
  200: z
    .object({
      ok: z.literal(true),
      accepted: z.number().int().optional().describe('Events of the batch; left out for a single event.'),
    })
    .meta({ description: 'All events are durable.', examples: [{ ok: true }, { ok: true, accepted: 2 }] }),
  400: problemWith({
    accepted: z.number().int().optional().describe('Events of the batch that were stored.'),
    errors_total: z
      .number()
      .int()
      .optional()
      .describe('Number of faults in the batch; `errors` lists the first 1,000.'),
  }).describe(
    'An event is not valid. `errors` lists the faults; in a batch, pointers begin with the index of the event.',
  ),
};
/** Bodies are read raw, so nothing is validated before the handler. */
const validatorCompiler = () => (value: unknown) => ({ value });

const eventFields = eventSchema
  .extend({
    tags: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .nullish()
      .describe('Free-form, such as customer, user, feature and run_id. Numbers and booleans become strings.'),
  })
  .loose();
const exampleEvent = {
  event_id: '0198c0de-0000-7000-8000-000000000001',
  event_type: 'chat.after',
  model: 'gpt-4o-2024-08-06',
  provider: 'openai',
  tags: { customer: 'acme', feature: 'chat', run_id: 'run-81' },
  elapsed_ms: 840,
  prompt_tokens: 412,
  completion_tokens: 87,
};

/** The intake (D3), at `POST <prefix>/<client_id>/`. */
export function registerIntake(app: App, prefix: string, options: IntakeOptions): void {
  const { limits, queue } = options;
  app.register(async (intake: App) => {
    intake.removeAllContentTypeParsers();
    for (const [type, format] of [
      ['application/json', 'json'],
      ['application/x-ndjson', 'ndjson'],
    ] as const) {
      intake.addContentTypeParser(type, async (request: FastifyRequest, payload: import('node:stream').Readable) => {
        const encoding = request.headers['content-encoding'];
        const bytes = await app.readBody(request, payload, { maxBytes: limits.maxRequestBytes, encoding });
        return { bytes, format } satisfies RawBody;
      });
    }
    await admitClients(intake, options);
    intake.post(
      `${prefix}/:client_id/`,
      {
        config: { access: 'client' },
        validatorCompiler,
        schema: {
          summary: 'Post an event, or a batch of them',
          description:
            'One event, a JSON array of events, or NDJSON with Content-Type: application/x-ndjson; at most 10,000 events. ' +
            'Answered once they are durable. The valid events of a batch are stored even when others are not valid.',
          tags: ['Intake'],
          params,
          consumes,
          body: z.union([eventFields, z.array(eventFields)]).meta({ examples: [exampleEvent, [exampleEvent]] }),
          response,
        },
      },
      async (request) => await accept(request, queue, options, readEvents),
    );
    for (const { path, methods, consumes: types, summary, description, examples, read } of options.recordRoutes) {
      intake.route({
        method: [...methods],
        url: `${prefix}/:client_id/${path}/`,
        config: { access: 'client' },
        validatorCompiler,
        schema: {
          summary,
          description,
          tags: ['Intake'],
          params,
          consumes: [...types],
          body: z.union([z.looseObject({}), z.array(z.looseObject({}))]).meta({ examples: [...examples] }),
          response,
        },
        handler: async (request) => {
          const project = request.intakeClient && (await options.projects.find(request.intakeClient.projectId));
          const keepsContent = project?.keepContent ?? false;
          return await accept(request, queue, options, function* ({ bytes, format }, context) {
            return yield* toEvents(yield* read(bytes, format, keepsContent), context);
          });
        },
      });
    }
  });
}

async function accept(
  { intakeClient, body, comingBody }: FastifyRequest,
  queue: ParseQueue,
  { buffer, limits }: IntakeOptions,
  readBytes: (raw: RawBody, context: BodyContext) => Slices<ReadBody>,
) {
  if (!intakeClient) throw new Error('The intake was reached without a client');
  const raw = body as RawBody | undefined;
  if (!raw) throw new Problem('invalid_json', 'The body is empty; send an event as JSON.');
  const read = function* () {
    const at = buffer.receivedAt();
    return { ...(yield* readBytes(raw, { client: intakeClient, receivedAtMs: at, limits })), receivedAtMs: at };
  };
  const { projectId } = intakeClient;
  const { isBatch, valid, faults, receivedAtMs } = await queue.run(projectId, raw.bytes.length, read, comingBody);
  await buffer.store(valid, receivedAtMs);
  if (!isBatch && faults.total > 0) throw refusal(faults, 'Correct what errors lists and send the event again.');
  if (!isBatch) return { ok: true as const };
  if (faults.total === 0) return { ok: true as const, accepted: valid.length };
  throw refusal(
    faults,
    `${describeStored(valid.length)} Correct the events that errors lists, and send only those again.`,
    { accepted: valid.length, errors_total: faults.total },
  );
}

/** Bytes of events that are read between two yields. An event counts for at least so many, as it has its fixed costs. */
const [bytesBetweenYields, leastEventBytes] = [65_536, 1_024];

/** The valid events of a body, and the faults of the others in a batch. @throws Problem when nothing can be stored */
function* readEvents(
  { bytes: body, format }: RawBody,
  { client, receivedAtMs, limits }: BodyContext,
): Slices<ReadBody> {
  const { maxEventBytes } = limits;
  const sent = yield* splitBody(body, format);
  const valid: EventToStore[] = [];
  const faults = noFaults();
  /** Adds an event, or its faults. `index` is its place in a batch. */
  const read = (index: number | undefined, text: Buffer, value: unknown) => {
    const read = readEvent(value, receivedAtMs, limits);
    if (read.ok) valid.push({ ...client, columns: read.columns, text });
    else {
      const place = index === undefined ? '' : `/${index}`;
      for (const fault of read.faults) faults.add({ ...fault, pointer: `${place}${fault.pointer}` });
    }
  };
  if (sent.kind === 'single') {
    const { event } = sent;
    if (event.bytes.length > maxEventBytes)
      throw new Problem('payload_too_large', `An event has at most ${maxEventBytes} bytes.`);
    const value = yield* parseEventInSlices(event);
    if (value === notJson) throw notJsonProblem();
    read(undefined, event.bytes, value);
    return { isBatch: false, valid, faults };
  }
  const refuse = (index: number, code: FaultCode, message: string) =>
    faults.add({ pointer: `/${index}`, code, message });
  let unyielded = 0;
  for (let index = 0; index < sent.events.length; ) {
    const together = sent.kind === 'array' ? eventsTogether(sent.events, index) : sent.events.slice(index, index + 1);
    const [first] = together;
    if (first && first.bytes.length > maxEventBytes) {
      refuse(index, 'too_large', `must have at most ${maxEventBytes} bytes`);
    } else if (first && together.length === 1) {
      const value = isLargeEvent(first) ? yield* parseEventInSlices(first) : parseEvent(first);
      if (value !== notJson) read(index, first.bytes, value);
      else if (sent.kind === 'array') throw notJsonProblem();
      else refuse(index, 'invalid_json', 'must be a line of valid JSON');
    } else {
      const values = parseTogether(together);
      if (values === notJson) throw notJsonProblem();
      for (const [place, { bytes }] of together.entries()) {
        if (bytes.length > maxEventBytes)
          refuse(index + place, 'too_large', `must have at most ${maxEventBytes} bytes`);
        else read(index + place, bytes, values[place]);
        unyielded += Math.max(bytes.length, leastEventBytes);
        if (unyielded < bytesBetweenYields) continue;
        yield;
        unyielded = 0;
      }
    }
    index += together.length;
    unyielded += Math.max(first?.bytes.length ?? 0, leastEventBytes);
    if (unyielded < bytesBetweenYields) continue;
    yield;
    unyielded = 0;
  }
  return { isBatch: true, valid, faults };
}

const describeStored = (events: number): string =>
  events === 0 ? 'No event was stored.' : events === 1 ? 'One event was stored.' : `${events} events were stored.`;
