import { readGenerations } from '../../calls/generations.ts';
import { makeCursor } from '../../lib/http/cursor.ts';
import type { Page } from '../asking/page.ts';
import {
  type ReceivedEvent,
  readIdSpan,
  type TextRecord,
  takeAnswerable,
  toReceivedEvent,
} from '../asking/received-events.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import { all } from '../asking/where.ts';
import type { EventsQuestion } from './parse.ts';
import { type PlaceRecord, selectPlaces, selectPlacesOfId, selectTexts, whereEvents } from './sql.ts';

/** Reads a page of events, in the requested order. */
export async function runEvents(
  projectId: string,
  question: EventsQuestion,
  { store, control }: Pick<AnalyticsSources, 'store' | 'control'>,
): Promise<Page<ReceivedEvent>> {
  const { limit, order, identity } = question;
  const found = await readPlaces(projectId, question, { store, control });
  const page = takeAnswerable(found).slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > page.length && last !== undefined;
  const texts = selectTexts(projectId, page, order);
  const rows = page.length === 0 ? [] : await store.select<TextRecord>(texts.sql, texts.parameters);
  return {
    rows: rows.map(toReceivedEvent),
    next_cursor: hasMore ? makeCursor(identity, [last.at, last.writer, last.seq]) : null,
    has_more: hasMore,
  };
}

/** Reads the first places, one more than the page can hold. */
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
  const span = await readIdSpan(projectId, eventId, store);
  const { sql, parameters } = selectPlacesOfId(where, span, { order, most: limit + 1 });
  return await store.select<PlaceRecord>(sql, parameters);
}
