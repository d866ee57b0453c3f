import { type EventLimits, readEvent } from '../../calls/events/event.ts';
import type { EventToStore } from '../../calls/events/event-columns.ts';
import { FaultList } from '../../lib/fault-list.ts';
import { type Fault, Problem } from '../../lib/problem.ts';
import { inSlices, type Slices } from '../../lib/slices.ts';
import type { BodyFormat } from './body.ts';

/** The methods of a route that takes records. */
export type RecordMethod = 'POST' | 'PUT';

/** A record of another system, read as an event, or why it can't be one. The pointer names the record in the body. */
export type SentRecord = { readonly pointer: string; readonly event: Readonly<Record<string, unknown>> } | Fault;

/** The records of a body; a body that is not a batch has exactly one. */
export interface SentRecords {
  readonly isBatch: boolean;
  readonly records: readonly SentRecord[];
}

/** A path below that of a client, to which another system sends its own records (D16.1). Each becomes one event. */
export interface RecordRoute {
  /** The segment after the client id. */
  readonly path: string;
  readonly methods: readonly RecordMethod[];
  readonly summary: string;
  readonly description: string;
  readonly consumes: readonly string[];
  /** Bodies, for the description of the API. */
  readonly examples: readonly unknown[];
  /** `keepsContent` is the setting of the project. @throws Problem `invalid_json` or `invalid_body` without records */
  readonly read: (body: Buffer, format: BodyFormat, keepsContent: boolean) => Slices<SentRecords>;
}

/** The result of a body: events to store, and the faults of the others. */
export interface ReadBody {
  readonly isBatch: boolean;
  readonly valid: readonly EventToStore[];
  readonly faults: FaultList;
}

/** The first faults of a batch are listed (D3.3). */
const maxErrors = 1_000;

export const noFaults = (): FaultList => new FaultList(maxErrors);

export interface BodyContext {
  readonly client: { readonly clientId: string; readonly projectId: string };
  readonly receivedAtMs: number;
  readonly limits: EventLimits & { readonly maxEventBytes: number };
}

/** Their events, by the rules of any event (D3.4): limits apply to the stored event, not to the record. */
export function* toEvents({ isBatch, records }: SentRecords, context: BodyContext): Slices<ReadBody> {
  const valid: EventToStore[] = [];
  const faults = noFaults();
  yield* inSlices(records, recordsBetweenYields, (record) => {
    if ('code' in record) faults.add(record);
    else addEvent(record, context, valid, faults);
  });
  return { isBatch, valid, faults };
}

const recordsBetweenYields = 16;

function addEvent(
  { pointer, event }: Exclude<SentRecord, Fault>,
  { client, receivedAtMs, limits }: BodyContext,
  valid: EventToStore[],
  faults: FaultList,
): void {
  const text = Buffer.from(JSON.stringify(event));
  if (text.length > limits.maxEventBytes) {
    const message = `must have at most ${limits.maxEventBytes} bytes without prompts and answers`;
    faults.add({ pointer, code: 'too_large', message });
    return;
  }
  const read = readEvent(event, receivedAtMs, limits);
  if (read.ok) valid.push({ ...client, columns: read.columns, text });
  else {
    for (const fault of read.faults) {
      faults.add({ ...fault, pointer, message: `becomes an event whose ${fault.pointer} ${fault.message}` });
    }
  }
}

export const refusal = (faults: FaultList, detail: string, members: Record<string, unknown> = {}): Problem =>
  new Problem('invalid_body', detail, { errors: faults.first, members });
