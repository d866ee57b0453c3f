import { readGenerations } from '../../calls/generations.ts';
import { cutPage } from '../../lib/http/page-envelope.ts';
import type { Page } from '../asking/page.ts';
import {
  type ReceivedEvent,
  readIdSpan,
  type TextRecord,
  takeAnswerable,
  toReceivedEvent,
} from '../asking/received-events.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { all } from '../asking/where.ts';
import type { EventsQuestion } from './parse.ts';
import { type PlaceRecord, selectPlaces, selectPlacesOfId, selectTexts, whereEvents } from './sql.ts';

export async function runEvents(
  projectId: string,
  question: EventsQuestion,
  { store, control }: Pick<AnswerSources, 'store' | 'control'>,
): Promise<Page<ReceivedEvent>> {
  const { limit, order, identity } = question;
  const found = await readPlaces(projectId, question, { store, control });
  const most = Math.min(limit, takeAnswerable(found).length);
  const page = cutPage(identity, found, most, ({ at, writer, seq }) => [at, writer, seq]);
  const texts = selectTexts(projectId, page.rows, order);
  const rows = page.rows.length === 0 ? [] : await store.select<TextRecord>(texts.sql, texts.parameters);
  return { rows: rows.map(toReceivedEvent), ...page.end };
}

/** Reads the first places, one more than the page can hold. */
async function readPlaces(
  projectId: string,
  question: EventsQuestion,
  { store, control }: Pick<AnswerSources, 'store' | 'control'>,
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
