import { isDeepStrictEqual } from 'node:util';
import { dayOf } from '../../lib/days.ts';
import { parseJson } from '../../lib/json.ts';
import { formatMoney, parseMoney } from '../../lib/money.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { RebuildRow } from '../../storage/control/schema/schema.ts';
import { type CallContext, toUnits } from '../costing/cost-calls.ts';
import { readEvent } from '../events/event.ts';
import {
  type EventContent,
  type LaterContent,
  type LoggedEvent,
  laterContentOf,
  type MergedCall,
  placeOf,
} from '../merging/merge.ts';
import { selectIds } from '../merging/sql.ts';

import { contentColumns, type EventContentRow } from './content-columns.ts';

/** A reread under way, and the context that its calls are written in. */
export interface Reread {
  readonly rebuild: Pick<RebuildRow, 'project_id' | 'generation'>;
  readonly version: number;
  readonly context: Pick<CallContext, 'timezone' | 'generationOf' | 'rereads'>;
}

type Content = EventContent & Pick<LaterContent, 'ignored'>;

export interface RereadCalls {
  /** All given calls, with the new contents on their events. */
  readonly calls: readonly MergedCall[];
  /** The length of the texts that were read, in UTF-16 units. */
  readonly length: number;
}

/** Rereads texts of events, and stores contents that differ from those in use. Can be repeated at any point. */
export async function rereadCalls(
  store: AnalyticStore,
  calls: readonly MergedCall[],
  reread: Reread,
): Promise<RereadCalls> {
  const { timezone, generationOf } = reread.context;
  const covered = calls.filter(({ timeMs }) => generationOf(dayOf(timezone, timeMs)) !== undefined);
  const { rows, length } = await readAnew(
    store,
    covered.flatMap(({ events }) => events),
    reread,
  );
  if (rows.length === 0) return { calls, length };
  await store.insertRows('event_contents', contentColumns, rows);
  const contents = new Map(rows.map((row) => [placeOf(row.event), row.content]));
  const withContents = calls.map((call) => ({
    ...call,
    events: call.events.map((event) => {
      const content = contents.get(placeOf(event));
      return content ? { ...event, laterContents: [...(event.laterContents ?? []), content] } : event;
    }),
  }));
  return { calls: withContents, length };
}

/** The time after the first event of a window within which most of its events arrive, in milliseconds. */
const soonMs = 60 * 60_000;

interface Anew {
  readonly rows: readonly EventContentRow[];
  readonly length: number;
}

/** The contents of these events that differ from those in use. */
async function readAnew(store: AnalyticStore, events: readonly LoggedEvent[], reread: Reread): Promise<Anew> {
  const firstMs = events.reduce((first, { receivedAtMs }) => Math.min(first, receivedAtMs), Number.POSITIVE_INFINITY);
  const parts = Map.groupBy(events, ({ receivedAtMs }) => receivedAtMs > firstMs + soonMs);
  const read: Anew[] = [];
  for (const part of parts.values()) read.push(await readPart(store, part, reread));
  return { rows: read.flatMap(({ rows }) => rows), length: read.reduce((sum, { length }) => sum + length, 0) };
}

interface TextRow {
  readonly writer: string;
  readonly seq: number;
  readonly ignored: readonly string[];
  readonly text: string;
}

/** Streams the texts, so that only one block of them is in memory. A text has up to a megabyte. */
async function readPart(store: AnalyticStore, events: readonly LoggedEvent[], reread: Reread): Promise<Anew> {
  const byPlace = new Map(events.map((event) => [placeOf(event), event]));
  const times = events.map(({ receivedAtMs }) => receivedAtMs);
  const keys = new Map(events.map((event) => [event.eventId, event]));
  const ids = selectIds([...keys.values()]);
  let rows: EventContentRow[] = [];
  let length = 0;
  await store.selectEach<TextRow>(
    `SELECT writer, toFloat64(events.seq) AS seq, ignored, text FROM events
      WHERE project = {project:String} AND phase != 'custom' AND (project, event_id) IN (${ids.sql})
        AND received_at >= fromUnixTimestamp64Milli({first:Int64}, 'UTC')
        AND received_at <= fromUnixTimestamp64Milli({last:Int64}, 'UTC')`,
    {
      ...ids.parameters,
      project: reread.rebuild.project_id,
      first: times.reduce((first, time) => Math.min(first, time), Number.POSITIVE_INFINITY),
      last: times.reduce((last, time) => Math.max(last, time), 0),
    },
    () => {
      rows = [];
      length = 0;
      return (row) => {
        length += row.text.length;
        const event = byPlace.get(placeOf(row));
        const content = event && readText(event, row, reread);
        if (content) rows.push({ event, content });
      };
    },
  );
  return { rows, length };
}

/** Undefined when it equals the content in use, or the text is no event by the current rules. */
function readText(event: LoggedEvent, { text, ignored }: TextRow, reread: Reread): LaterContent | undefined {
  const { rebuild, version, context } = reread;
  const before: Content = laterContentOf(event, context.rereads) ?? { ...event, ignored };
  // The number of tags was checked on receipt, by the limit in force then.
  const read = readEvent(parseJson(text), event.receivedAtMs, { maxTags: Number.POSITIVE_INFINITY });
  if (!read.ok) return undefined;
  const { fields, usage, units, cost, ignored: ignoredNow } = read.columns;
  const now: Content = {
    fields,
    usage,
    units: Object.fromEntries(Object.entries(units).map(([name, count]) => [name, formatMoney(count)])),
    cost: cost === null ? null : formatMoney(cost),
    ignored: ignoredNow,
  };
  if (isDeepStrictEqual(comparable(before), comparable(now))) return undefined;
  return { ...now, generation: rebuild.generation, version };
}

/** To be compared: decimals may have trailing zeros, and the store keeps only well-formed texts. */
const comparable = ({ fields, usage, units, cost, ignored }: Content) => ({
  fields: new Map(Object.entries(fields)),
  usage,
  units: toUnits(units),
  cost: cost === null ? null : parseMoney(cost),
  ignored: ignored.map((name) => name.toWellFormed()),
});
