import { type EventLimits, readEvent } from '../../calls/events/event.ts';
import type { EventToStore } from '../../calls/events/event-columns.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { inSlices, type Slices } from '../../lib/slices.ts';
import { readLogRecord } from './event-of-log.ts';
import { type EventOptions, readSpan } from './event-of-span.ts';
import type { PartialSuccess } from './otlp/encode.ts';
import type { SentRecord } from './otlp/records.ts';
import { eventsOfPlainSpans, type SpanNode, toPlace } from './plain-spans.ts';

export interface EventsOptions extends Pick<EventOptions, 'keepsContent'> {
  readonly clientId: string;
  readonly projectId: string;
  readonly receivedAtMs: number;
  readonly limits: EventLimits & { readonly maxEventBytes: number };
}

/** The result of a request: ordinary events, and the faults of records that could not be read. */
export interface TelemetryEvents {
  readonly events: readonly EventToStore[];
  readonly partial: PartialSuccess | undefined;
}

/** A request with more calls is refused as a whole (D3.3). Of its spans that are no calls, as many are kept. */
const maxCalls = 10_000;

/** A request with more calls than `maxCalls`. */
export class TooManyCalls extends Error {
  override readonly name = 'TooManyCalls';
}

/**
 * The events of spans (D14.2): one for each call, and one for each span that is no call but may be around or between
 * calls, of this request or another (D27.6). @throws TooManyCalls
 */
export function* eventsOfSpans(records: readonly SentRecord[], options: EventsOptions): Slices<TelemetryEvents> {
  const made = new MadeEvents('span', options);
  const eventOptions = { keepsContent: options.keepsContent, maxTags: options.limits.maxTags };
  const nodes: SpanNode[] = [];
  yield* inSlices(records, recordsBetweenYields, (record) => {
    const sent = record.mayTell ? record.decode() : record.place();
    const span = record.mayTell ? readSpan(sent, record.origin(), eventOptions) : undefined;
    if (span !== undefined && 'reason' in span) return made.reject(span.reason);
    if (span !== undefined && 'event' in span) {
      made.add(span.event);
      nodes.push({ ...span.place, isCall: true, said: undefined });
      return undefined;
    }
    const place = toPlace(sent);
    if (place !== undefined) nodes.push({ ...place, isCall: false, said: undefined, ...span });
    return undefined;
  });
  yield* inSlices(eventsOfPlainSpans(nodes).slice(0, maxCalls), recordsBetweenYields, (event) => {
    made.add(event);
  });
  return made.finish();
}

const recordsBetweenYields = 16;

/** The events of log records of coding agents (D14.6). @throws TooManyCalls */
export function* eventsOfLogs(records: readonly SentRecord[], options: EventsOptions): Slices<TelemetryEvents> {
  const made = new MadeEvents('log record', options);
  const eventOptions = { keepsContent: options.keepsContent, maxTags: options.limits.maxTags };
  yield* inSlices(records, recordsBetweenYields, (record) => {
    const read = readLogRecord(record.decode(), record.origin(), eventOptions);
    if (read === undefined) return;
    if ('reason' in read) made.reject(read.reason);
    else made.add(read.event);
  });
  return made.finish();
}

/** The kinds of faults that are named in a message. */
const maxNamed = 5;
/** Characters of each. */
const maxReason = 200;

/** The events of a request so far. Each is an ordinary event: an event that the intake refuses is rejected. */
class MadeEvents {
  readonly #what: string;
  readonly #options: EventsOptions;
  readonly #events: EventToStore[] = [];
  #calls = 0;
  #rejected = 0;
  /** The number of times that each fault was found. */
  readonly #faults = new Map<string, number>();

  constructor(what: string, options: EventsOptions) {
    this.#what = what;
    this.#options = options;
  }

  /** Adds an event; undefined if it is rejected. @throws TooManyCalls */
  add(event: JsonObject): EventToStore | undefined {
    const { limits, receivedAtMs, clientId, projectId } = this.#options;
    const text = Buffer.from(JSON.stringify(event));
    if (text.length > limits.maxEventBytes) {
      const { otel: _, ...rest } = event;
      return 'otel' in event ? this.add({ ...rest, content_dropped: ['otel'] }) : this.reject('it is too large');
    }
    const read = readEvent(event, receivedAtMs, limits);
    if (!read.ok) {
      const [fault] = read.faults;
      return this.reject(`its event is not valid: ${fault?.pointer} ${fault?.message}`);
    }
    const stored = { clientId, projectId, columns: read.columns, text };
    if (read.columns.phase !== 'before') this.#calls += 1;
    if (this.#calls > maxCalls) throw new TooManyCalls(`A request holds at most ${maxCalls} calls.`);
    this.#events.push(stored);
    return stored;
  }

  reject(reason: string): undefined {
    this.#rejected += 1;
    // A reason may repeat a long name of the event.
    const short = reason.length > maxReason ? `${reason.slice(0, maxReason).toWellFormed()}…` : reason;
    const count = this.#faults.get(short);
    if (count !== undefined || this.#faults.size < maxNamed) this.#faults.set(short, (count ?? 0) + 1);
  }

  finish(): TelemetryEvents {
    if (this.#rejected === 0) return { events: this.#events, partial: undefined };
    const named = [...this.#faults].map(([reason, count]) => `${reason} (${count})`);
    const message = `${this.#rejected === 1 ? `A ${this.#what}` : `${this.#rejected} ${this.#what}s`} could not be read: ${named.join('; ')}.`;
    return { events: this.#events, partial: { rejected: this.#rejected, message } };
  }
}
