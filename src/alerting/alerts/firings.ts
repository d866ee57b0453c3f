import { z } from 'zod';
import { chunksOf } from '../../lib/chunks.ts';
import { compareCodePoints } from '../../lib/code-points.ts';
import { openCursor } from '../../lib/http/cursor.ts';
import { cutPage } from '../../lib/http/page-envelope.ts';
import { newId } from '../../lib/ids.ts';
import { parseJson } from '../../lib/json.ts';
import { toTime, toTimeOrNull } from '../../lib/times.ts';
import type { ControlQueries, ControlStore } from '../../storage/control/control-store.ts';
import type { FiringRow } from '../../storage/control/schema/alert-rows.ts';
import type { AlertKind } from '../kinds/kinds.ts';
import { type Cause, identify } from '../rule/cause.ts';
import type { OpenFiring } from '../rule/open-firings.ts';

/** A statement may have some thousands of values. */
const mostInStatement = 500;

/** A firing, with the API's field names. */
export const toFiring = (row: FiringRow) => ({
  id: row.id,
  // Only this service writes kinds.
  kind: row.kind as AlertKind,
  subject: parseJson(row.subject) as Record<string, string | number>,
  started_at: toTime(row.started_at),
  ended_at: toTimeOrNull(row.ended_at),
  numbers: parseJson(row.numbers) as Record<string, unknown>,
  title: row.title,
  text: row.text,
  path: row.path,
});

/** What a look changes: causes that begin, and open firings whose causes have ended. */
export interface Turn {
  readonly begun: readonly Cause[];
  readonly ended: readonly OpenFiring[];
}

/** Compares the causes that a look has found with the open firings. */
export function resolveTurn(causes: readonly Cause[], open: readonly OpenFiring[]): Turn {
  const byId = new Map(causes.map((cause) => [identify(cause), cause]));
  const isOpen = new Set(open.map(({ cause }) => cause));
  return {
    begun: [...byId].filter(([id, { state }]) => state === 'holds' && !isOpen.has(id)).map(([, cause]) => cause),
    ended: open.filter(({ cause }) => !byId.has(cause)),
  };
}

/** The row of a firing that begins now. */
export function toFiringRow(
  cause: Cause,
  { projectId, kind, now, isQuiet }: { projectId: string; kind: AlertKind; now: number; isQuiet: boolean },
): FiringRow {
  const { subject, customer = null, user = null, numbers, title, text, path } = cause;
  return {
    id: newId('fir'),
    project_id: projectId,
    kind,
    cause: identify(cause),
    subject: JSON.stringify(subject),
    customer,
    user,
    started_at: now,
    ended_at: null,
    is_quiet: isQuiet ? 1 : 0,
    numbers: JSON.stringify(numbers),
    title,
    text,
    path,
  };
}

/** Inserts firings. Returns those whose cause had no open firing yet. */
export async function insertFirings(transaction: ControlQueries, rows: readonly FiringRow[]): Promise<FiringRow[]> {
  const ids = new Set<string>();
  for (const chunk of chunksOf(rows, mostInStatement)) {
    const inserted = await transaction
      .insertInto('firings')
      .values(chunk)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute();
    for (const { id } of inserted) ids.add(id);
  }
  return rows.filter(({ id }) => ids.has(id));
}

/** Returns those that need a notification. Quiet ones are deleted, because nobody was told of them. */
export async function endFirings(
  transaction: ControlQueries,
  firings: readonly OpenFiring[],
  now: number,
): Promise<FiringRow[]> {
  const quiet = firings.filter(({ is_quiet }) => is_quiet === 1).map(({ id }) => id);
  const told = firings.filter(({ is_quiet }) => is_quiet === 0).map(({ id }) => id);
  if (quiet.length > 0) await transaction.deleteFrom('firings').where('id', 'in', quiet).execute();
  if (told.length === 0) return [];
  const rows = await transaction
    .updateTable('firings')
    .set({ ended_at: now })
    .where('id', 'in', told)
    .where('ended_at', 'is', null)
    .returningAll()
    .execute();
  return rows.sort((a, b) => compareCodePoints(a.id, b.id));
}

export async function countOpen(control: ControlStore, projectId: string): Promise<Map<string, number>> {
  const rows = await control
    .selectFrom('firings')
    .select((row) => ['kind', row.fn.countAll().as('count')])
    .where('project_id', '=', projectId)
    .where('ended_at', 'is', null)
    .where('is_quiet', '=', 0)
    .groupBy('kind')
    .execute();
  return new Map(rows.map(({ kind, count }) => [kind, Number(count)]));
}

export interface FiringsQuestion {
  readonly projectId: string;
  readonly kind: AlertKind | undefined;
  readonly state: 'open' | 'ended' | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

const firingPosition = z.tuple([z.string().regex(/^\d{1,15}$/), z.string().regex(/^\w{1,64}$/)]);

/** A page of a project's firings, newest first, and the end of the page. @throws Problem `invalid_cursor` */
export async function listFirings(control: ControlStore, { projectId, kind, state, limit, cursor }: FiringsQuestion) {
  const question = ['firings', projectId, kind, state];
  const after = cursor === undefined ? undefined : openCursor(question, cursor, firingPosition);
  let query = control
    .selectFrom('firings')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('is_quiet', '=', 0)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (kind !== undefined) query = query.where('kind', '=', kind);
  if (state !== undefined) query = query.where('ended_at', state === 'open' ? 'is' : 'is not', null);
  if (after !== undefined) {
    const [startedAt, id] = [Number(after[0]), after[1]];
    query = query.where((row) =>
      row.or([row('started_at', '<', startedAt), row.and([row('started_at', '=', startedAt), row('id', '<', id)])]),
    );
  }
  return cutPage(question, await query.execute(), limit, ({ started_at, id }) => [String(started_at), id]);
}

export async function deleteEndedFirings(control: ControlStore, before: number): Promise<void> {
  await control.deleteFrom('firings').where('ended_at', '<', before).execute();
}
