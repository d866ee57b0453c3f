import type { ControlQueries } from '../../control/control-store.ts';
import type { RebuildRow } from '../../control/schema.ts';
import { listDays } from '../../lib/days.ts';

/** Rows a statement: SQLite takes at most 32,766 values. */
const chunkRows = 5_000;

/** Makes a rebuild's generation the one that answers read, of all its days at once, in the caller's transaction (D5.5). */
export async function putInForce(transaction: ControlQueries, rebuild: RebuildRow): Promise<void> {
  const { project_id, generation, date_from: from, date_to: to } = rebuild;
  if (from === null || to === null) {
    await transaction.deleteFrom('days').where('project_id', '=', project_id).execute();
    await transaction
      .updateTable('projects')
      .set({ base_generation: generation, timezone: rebuild.timezone })
      .where('id', '=', project_id)
      .execute();
    if (rebuild.kind !== 'timezone') return;
    await transaction.updateTable('projects').set({ pending_timezone: null }).where('id', '=', project_id).execute();
    return;
  }
  const days = listDays(from, to).map((day) => ({ project_id, day, generation }));
  for (let at = 0; at < days.length; at += chunkRows) {
    await transaction
      .insertInto('days')
      .values(days.slice(at, at + chunkRows))
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'day']).doUpdateSet((row) => ({ generation: row.ref('excluded.generation') })),
      )
      .execute();
  }
}
