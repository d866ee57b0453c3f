import { toWrapperMarker } from '../calls/wrapper-marker.ts';
import { type EventLimits, readEvent } from '../intake/event.ts';
import type { EventToStore } from '../intake/event-columns.ts';
import { inSlices, type Slices } from '../lib/slices.ts';
import { readLogRecord } from './event-of-log.ts';
import { type EventOptions, eventIdOfSpan, readSpan, type Surroundings } from './event-of-span.ts';
import type { Json } from './otlp/attributes.ts';
import { isJson } from './otlp/attributes.ts';
import type { PartialSuccess } from './otlp/encode.ts';
import type { SentRecord } from './otlp/records.ts';
import { keyOf, type SpanIds, toIds } from './span-ids.ts';
import { SpansAround } from './spans-around.ts';

export interface EventsOptions extends Pick<EventOptions, 'keepsContent'> {
  readonly clientId: string;
  readonly projectId: string;
  readonly receivedAtMs: number;
  readonly limits: EventLimits & { readonly maxEventBytes: number };
  /** Whether a marker of this id is already stored; one is enough. */
  readonly isMarked?: (eventId: string) => boolean;
}

/** The result of a request: ordinary events, and the faults of records that could not be read. */
export interface TelemetryEvents {
  readonly events: readonly EventToStore[];
  readonly partial: PartialSuccess | undefined;
}

/** A request with more calls is refused as a whole (D3.3). */
const maxCalls = 10_000;

/** A request with more calls than `maxCalls`. */
export class TooManyCalls extends Error {
  override readonly name = 'TooManyCalls';
}

/**
 * The events of spans (D14.2, D14.3): one for each call. A call that reports usage also gets a marker event, which
 * says that its parent encloses a call. A parent that is seen not to be a call needs no marker. @throws TooManyCalls
 */
export function* eventsOfSpans(records: readonly SentRecord[], options: EventsOptions): Slices<TelemetryEvents> {
  const made = new MadeEvents('span', options);
  const eventOptions = { keepsContent: options.keepsContent, maxTags: options.limits.maxTags };
  /** A call that reports usage, by the ids of its parent. */
  const parents = new Map<string, { readonly parent: SpanIds; readonly call: string }>();
  const noCalls = new Set<string>();
  const spans = new SpansAround();
  const candidates: { readonly span: unknown; readonly record: SentRecord }[] = [];
  yield* inSlices(records, recordsBetweenYields, (record) => {
    if (record.mayBeCall) {
      const span = record.decode();
      candidates.push({ span, record });
      const ids = isJson(span) ? toIds(span.traceId, span.spanId) : undefined;
      if (ids !== undefined) spans.add(keyOf(ids), () => span);
    } else if (record.ids !== undefined) {
      noCalls.add(record.ids);
      spans.add(record.ids, record.decode);
    }
  });
  const around: Surroundings = (parent) => spans.attributesAround(parent);
  yield* inSlices(candidates, recordsBetweenYields, ({ span: sent, record }) => {
    const span = readSpan(sent, record.origin(), around, eventOptions);
    if ('reason' in span) made.reject(span.reason);
    else if ('noCall' in span) {
      if (span.noCall) noCalls.add(keyOf(span.noCall));
    } else {
      const stored = made.add(span.event);
      const { parent, eventId: call } = span;
      if (stored !== undefined && parent !== undefined && reportsUsage(stored))
        parents.set(keyOf(parent), { parent, call });
    }
  });
  yield* inSlices(parents, recordsBetweenYields, ([key, { parent, call }]) => {
    if (noCalls.has(key)) return;
    const parentId = eventIdOfSpan(parent);
    if (!options.isMarked?.(parentId)) made.add(toWrapperMarker(parentId, call));
  });
  return made.finish();
}

const recordsBetweenYields = 16;

/** Whether the event has any count: a span of the raw HTTP request has none. */
const reportsUsage = ({ columns: { usage, units } }: EventToStore): boolean =>
  usage.some((tokens) => tokens > 0) || Object.keys(units).length > 0;

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
  add(event: Json): EventToStore | undefined {
    const { limits, receivedAtMs, clientId, projectId } = this.#options;
    const text = Buffer.from(JSON.stringify(event));
    if (text.length > limits.maxEventBytes) {
      const { otel: _, ...rest } = event;
      return 'otel' in event ? this.add({ ...rest, content_dropped: ['otel'] }) : this.reject('it is too large');
    }
    const reading = readEvent(event, receivedAtMs, limits);
    if (!reading.ok) {
      const [fault] = reading.faults;
      return this.reject(`its event is not valid: ${fault?.pointer} ${fault?.message}`);
    }
    const stored = { clientId, projectId, columns: reading.columns, text };
    if (reading.columns.phase !== 'before') this.#calls += 1;
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
