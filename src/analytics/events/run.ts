import { readGenerations } from '../../calls/generations.ts';
import { sealCursor } from '../../http/cursor.ts';
import { StoredJson } from '../../lib/stored-json.ts';
import type { Page } from '../page.ts';
import type { AnalyticsSources } from '../sources.ts';
import { all } from '../where.ts';
import type { EventsQuestion } from './parse.ts';
import {
  type IdSpan,
  type PlaceRecord,
  selectIdSpan,
  selectPlaces,
  selectPlacesOfId,
  selectTexts,
  type TextRecord,
  whereEvents,
} from './sql.ts';

/** A page ends before its texts have more bytes than this, unless it has only one. */
const maxPageBytes = 16 * 1_048_576;

/** An event in the names of the API. */
export interface EventRow {
  readonly received_at: string;
  readonly client_id: string;
  /** As it was posted: read and written again, big numbers, duplicate keys and the like would change. */
  readonly event: StoredJson;
}

/** A page of events, in the order that is asked for. */
export async function runEvents(
  projectId: string,
  question: EventsQuestion,
  { store, control }: Pick<AnalyticsSources, 'store' | 'control'>,
): Promise<Page<EventRow>> {
  const { limit, order, identity } = question;
  const found = await readPlaces(projectId, question, { store, control });
  const page = cutPage(found, limit);
  const last = page.at(-1);
  const hasMore = found.length > page.length && last !== undefined;
  const texts = selectTexts(projectId, page, order);
  const rows = page.length === 0 ? [] : await store.select<TextRecord>(texts.sql, texts.parameters);
  return {
    rows: rows.map(toRow),
    next_cursor: hasMore ? sealCursor(identity, [last.at, last.writer, last.seq]) : null,
    has_more: hasMore,
  };
}

/** The first places, one more than the page may hold. */
async function readPlaces(
  projectId: string,
  question: EventsQuestion,
  { store, control }: Pick<AnalyticsSources, 'store' | 'control'>,
): Promise<PlaceRecord[]> {
  const { eventId, customer, order, limit } = question;
  const generations = customer === undefined ? undefined : await readGenerations(control, projectId);
  const where = all(whereEvents(projectId, question, generations));
  if (eventId === undefined) {
    const { sql, parameters } = selectPlaces(where, order, limit + 1);
    return await store.select<PlaceRecord>(sql, parameters);
  }
  const spanOf = selectIdSpan(projectId, eventId);
  const [span] = await store.select<IdSpan>(spanOf.sql, spanOf.parameters);
  const { sql, parameters } = selectPlacesOfId(where, span, { order, most: limit + 1 });
  return await store.select<PlaceRecord>(sql, parameters);
}

function cutPage(found: readonly PlaceRecord[], limit: number): PlaceRecord[] {
  let bytes = 0;
  const isOver = (record: PlaceRecord) => {
    bytes += Number(record.bytes);
    return bytes > maxPageBytes;
  };
  const end = found.findIndex((record, index) => isOver(record) && index > 0);
  return found.slice(0, Math.min(limit, end === -1 ? found.length : end));
}

const toRow = ({ at, client, text }: TextRecord): EventRow => ({
  received_at: new Date(Number(at)).toISOString(),
  client_id: client,
  event: new StoredJson(text),
});
