import type { ControlQueries } from '../../storage/control/control-store.ts';
import type { SetAsideIdRow } from '../../storage/control/schema/apart-rows.ts';
import { type EventKey, keyOf } from '../merging/merge.ts';
import type { Watermark } from './watermarks.ts';

/** Projects that are assembled apart, in the order of their ids (docs/decisions/0032). */
export async function listApart(control: ControlQueries): Promise<string[]> {
  const rows = await control
    .selectFrom('apart_watermarks')
    .select('project_id')
    .distinct()
    .orderBy('project_id')
    .execute();
  return rows.map(({ project_id: id }) => id);
}

/** The projects that batches leave out: those that are assembled apart, and deleted ones, which a purge deletes. */
export async function listLeftOut(control: ControlQueries): Promise<string[]> {
  const deleted = await control
    .selectFrom('projects')
    .select('id')
    .where('deleted_at', 'is not', null)
    .where('purged_at', 'is', null)
    .execute();
  return [...new Set([...(await listApart(control)), ...deleted.map(({ id }) => id)])];
}

/** Assembles a project apart from now on, from these watermarks. */
export async function setApart(
  transaction: ControlQueries,
  projectId: string,
  watermarks: readonly Pick<Watermark, 'writer' | 'seq' | 'receivedAt'>[],
): Promise<void> {
  if (watermarks.length === 0) return;
  await transaction
    .insertInto('apart_watermarks')
    .values(
      watermarks.map(({ writer, seq, receivedAt }) => ({
        ...{ project_id: projectId, writer },
        ...{ assembled_seq: seq, assembled_received_at: receivedAt },
      })),
    )
    .execute();
}

/** Assembles a project with the others again. */
export async function rejoin(transaction: ControlQueries, projectId: string): Promise<void> {
  await transaction.deleteFrom('apart_watermarks').where('project_id', '=', projectId).execute();
}

/** The ids whose events cannot be assembled, as keys of maps. */
export async function readSetAsideIds(control: ControlQueries): Promise<ReadonlySet<string>> {
  const rows = await control.selectFrom('set_aside_ids').select(['project_id', 'event_id']).execute();
  return new Set(rows.map(({ project_id: projectId, event_id: eventId }) => keyOf({ projectId, eventId })));
}

/** The ids of a project that are set aside, the newest first. */
export const listSetAsideIds = async (
  control: ControlQueries,
  projectId: string,
  most: number,
): Promise<SetAsideIdRow[]> =>
  await control
    .selectFrom('set_aside_ids')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('since', 'desc')
    .orderBy('event_id')
    .limit(most)
    .execute();

/** Leaves all events of an id out of the calls from now on. */
export async function setAsideId(transaction: ControlQueries, { projectId, eventId }: EventKey, now: number) {
  await transaction
    .insertInto('set_aside_ids')
    .values({ project_id: projectId, event_id: eventId, since: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Tries the ids of a project again that were set aside: a rebuild begins. */
export async function takeSetAsideBack(transaction: ControlQueries, projectId: string): Promise<void> {
  await transaction.deleteFrom('set_aside_ids').where('project_id', '=', projectId).execute();
}
