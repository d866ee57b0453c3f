import { chunksOf } from '../../lib/chunks.ts';
import { type Day, listDays } from '../../lib/days.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import type { RebuildRow } from '../../storage/control/schema/schema.ts';

/** Rows per statement: SQLite takes at most 32,766 values. */
const chunkRows = 4_000;

/**
 * Puts a generation in force for all its days but frozen ones, in the caller's transaction (D5.5): they must be sealed
 * again. `filledDays` have rows of the generation.
 */
export async function putInForce(
  transaction: ControlQueries,
  rebuild: RebuildRow,
  { filledDays, keptFrom }: { readonly filledDays: readonly Day[]; readonly keptFrom: Day | undefined },
  now: number,
): Promise<void> {
  const { project_id: projectId, generation, date_from: from, date_to: to } = rebuild;
  if (from !== null && to !== null) return await setGeneration(transaction, rebuild, listDays(from, to), now);
  await transaction
    .updateTable('projects')
    .set({
      base_generation: generation,
      timezone: rebuild.timezone,
      ...(rebuild.kind === 'timezone' && { pending_timezone: null }),
    })
    .where('id', '=', projectId)
    .execute();
  await transaction
    .deleteFrom('days')
    .where('project_id', '=', projectId)
    .$if(keptFrom !== undefined, (query) => query.where('day', '>=', keptFrom ?? ''))
    .execute();
  await setGeneration(transaction, rebuild, filledDays, now);
}

async function setGeneration(
  transaction: ControlQueries,
  { project_id, generation }: RebuildRow,
  days: readonly Day[],
  now: number,
): Promise<void> {
  for (const chunk of chunksOf(days, chunkRows)) {
    const rows = chunk.map((day) => ({ project_id, day, generation, touched: 1, touched_at: now, sealed: 0, seal: 0 }));
    await transaction
      .insertInto('days')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'day']).doUpdateSet((row) => ({
          generation,
          touched: row('days.touched', '+', 1),
          touched_at: now,
        })),
      )
      .execute();
  }
}
