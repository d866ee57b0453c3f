// What assembly must make of a log of events, by brute force over plain arrays and straight from D4: it groups by time of
// receipt and knows nothing of batches, watermarks or the moment at which anything ran. It shares no code with the service.
import { picos } from '../support/decimal.ts';

export type Json = Readonly<Record<string, unknown>>;

/** An event in the log. */
export interface LoggedEvent {
  readonly writer: string;
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly event: Json;
}

/** A price book as the model needs it; the books are in the order of their activation. */
export interface ModelBook {
  readonly id: string;
  readonly activatedAt: number;
  /** By model: millionths of a dollar for a million tokens, which is picodollars a token. */
  readonly prices: Readonly<Record<string, { readonly input: bigint; readonly output: bigint }>>;
}

export interface ModelCall {
  readonly eventId: string;
  readonly ordinal: number;
  readonly day: string;
  readonly time: number;
  readonly firstReceivedAt: number;
  readonly customer: string;
  readonly user: string;
  readonly feature: string;
  /** Where no event names a run: the event id, followed by # and the ordinal in the later calls of an id. */
  readonly run: string;
  readonly model: string;
  readonly provider: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly failed: boolean;
  readonly elapsedMs: number | null;
  readonly input: number;
  readonly output: number;
  /** Picodollars. */
  readonly cost: string;
  readonly source: string;
  readonly book: string;
}

type Phase = 'before' | 'error' | 'after';
const phases: readonly Phase[] = ['before', 'error', 'after'];
const reuseMs = 48 * 3_600_000;

/** Every call of the log, by id and then by its place among the calls of the id. */
export function modelCalls(
  log: readonly LoggedEvent[],
  { timezone, books }: { readonly timezone: string; readonly books: readonly ModelBook[] },
): ModelCall[] {
  const byId = new Map<string, LoggedEvent[]>();
  for (const logged of log) {
    if (phaseOf(logged) === undefined) continue;
    const id = String(logged.event.event_id).toLowerCase();
    byId.set(id, [...(byId.get(id) ?? []), logged]);
  }
  return [...byId]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([id, events]) =>
      splitIntoCalls(events).map((ofCall, ordinal) => modelCall(id, ordinal, ofCall, timezone, books)),
    );
}

/** D4.2: which events of one id belong together; the outcome that begins the call is first in `outcomes`. */
function splitIntoCalls(events: readonly LoggedEvent[]): { outcomes: LoggedEvent[]; all: LoggedEvent[] }[] {
  const received = [...events].sort(byReceipt);
  const calls: { outcomes: LoggedEvent[]; startedAt: number }[] = [];
  for (const logged of received) {
    if (phaseOf(logged) === 'before') continue;
    const current = calls.at(-1);
    const isNew =
      current === undefined || (timestampOf(logged) === undefined && logged.receivedAt - current.startedAt > reuseMs);
    if (isNew) calls.push({ outcomes: [logged], startedAt: logged.receivedAt });
    else current.outcomes.push(logged);
  }
  const all = calls.map(({ outcomes }) => [...outcomes]);
  for (const logged of received) {
    if (phaseOf(logged) !== 'before') continue;
    const index = calls.findIndex(({ startedAt }) => logged.receivedAt <= startedAt + reuseMs);
    all[index]?.push(logged);
  }
  return calls.map(({ outcomes }, index) => ({ outcomes, all: all[index] ?? [] }));
}

function modelCall(
  eventId: string,
  ordinal: number,
  { outcomes, all }: { outcomes: LoggedEvent[]; all: LoggedEvent[] },
  timezone: string,
  books: readonly ModelBook[],
): ModelCall {
  const first = outcomes[0];
  if (first === undefined) throw new Error('a call has an outcome');
  // D4.1: the weakest first, so that what comes later wins.
  const ranked = phases.flatMap((phase) => all.filter((logged) => phaseOf(logged) === phase).sort(byReceipt));
  const field = (name: string): string => {
    const named = ranked.map(({ event }) => event[name]).filter((value) => typeof value === 'string' && value !== '');
    return String(named.at(-1) ?? '');
  };
  const merged = new Map<string, string>();
  for (const { event } of ranked) {
    for (const [key, value] of Object.entries((event.tags ?? {}) as Record<string, string>)) {
      if (value !== '' || !['customer', 'user', 'feature', 'run'].includes(key)) merged.set(key, value);
    }
  }
  // Not by assignment: `__proto__` is a key like any other.
  const tags = Object.fromEntries(merged);
  const time = timestampOf(first) ?? first.receivedAt;
  const elapsed = ranked.map(({ event }) => event.elapsed_ms).filter((value) => typeof value === 'number');
  const afters = ranked.filter((logged) => phaseOf(logged) === 'after');
  // D3.8, D4.1: `after` wins over `error`, and one that carries `error_type` is a failure.
  const failed = afters.length === 0 || afters.some(({ event }) => typeof event.error_type === 'string');
  const usage = ranked
    .map(({ event }) => event)
    .filter((event) => typeof event.prompt_tokens === 'number' || typeof event.completion_tokens === 'number')
    .at(-1);
  const input = Number(usage?.prompt_tokens ?? 0);
  const output = Number(usage?.completion_tokens ?? 0);
  const reported = ranked
    .map(({ event }) => event.cost)
    .filter((cost) => typeof cost === 'number')
    .at(-1);
  const book = books.filter(({ activatedAt }) => activatedAt <= first.receivedAt).at(-1) ?? books[0];
  const model = field('model');
  const price = book?.prices[model];
  const { source, cost } =
    reported !== undefined
      ? { source: 'reported', cost: picos(reported) }
      : usage === undefined
        ? { source: failed ? 'none' : 'unpriced', cost: 0n }
        : price === undefined || (input + output === 0 && !failed)
          ? { source: 'unpriced', cost: 0n }
          : { source: 'override', cost: BigInt(input) * price.input + BigInt(output) * price.output };
  return {
    eventId,
    ordinal,
    day: dayIn(timezone, time),
    time,
    firstReceivedAt: first.receivedAt,
    customer: tags.customer || field('customer'),
    user: tags.user || field('user'),
    feature: tags.feature || field('feature'),
    run: tags.run || field('run_id') || (ordinal === 0 ? eventId : `${eventId}#${ordinal}`),
    model,
    provider: field('provider'),
    tags,
    failed,
    elapsedMs: elapsed.at(-1) ?? null,
    input,
    output,
    cost: cost.toString(),
    source,
    book: book?.id ?? '',
  };
}

/** D4.3. */
function byReceipt(a: LoggedEvent, b: LoggedEvent): number {
  return a.receivedAt - b.receivedAt || (a.writer === b.writer ? a.seq - b.seq : a.writer < b.writer ? -1 : 1);
}

/** D3.8; undefined for a custom event. */
function phaseOf({ event }: LoggedEvent): Phase | undefined {
  const last = String(event.event_type).split('.').at(-1);
  return phases.find((phase) => phase === last);
}

/** D3.9; the tests write times that JavaScript reads, or nonsense. */
function timestampOf({ event, receivedAt }: LoggedEvent): number | undefined {
  const time = typeof event.timestamp === 'string' ? Date.parse(event.timestamp) : Number.NaN;
  return time >= Date.UTC(2000, 0, 1) && time <= receivedAt + 24 * 3_600_000 ? time : undefined;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function dayIn(timezone: string, time: number): string {
  const format =
    formats.get(timezone) ??
    new Intl.DateTimeFormat('en-CA', { timeZone: timezone, year: 'numeric', month: '2-digit', day: '2-digit' });
  formats.set(timezone, format);
  return format.format(time);
}
