import type { Clause } from '../../storage/analytic/clause.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import { type DayOfGeneration, ofDays } from './copies.ts';

/** What the closes of a project pin in the analytic store. */
export interface PinnedCalls {
  /** The condition for the rows of `calls` that answers as of a close read; undefined when there are none. */
  readonly calls: Clause | undefined;
  /** The base generations under which their crossing runs are recorded. */
  readonly bases: readonly number[];
}

/** Reads the generations that clean-up must not delete, because closes of a project pin them. */
export async function readPinnedCalls(control: ControlQueries, projectId: string): Promise<PinnedCalls> {
  const closes = await control
    .selectFrom('closes')
    .select('base_generation')
    .distinct()
    .where('project_id', '=', projectId)
    .where('closed_at', 'is not', null)
    .execute();
  const bases = closes.map(({ base_generation: base }) => base);
  if (bases.length === 0) return { calls: undefined, bases };
  const pins = await readPinnedDays(control, projectId);
  return { calls: pins.length === 0 ? undefined : ofDays(pins), bases };
}

/** Each pinned day of a project once for each generation that closes pin it in. */
export async function readPinnedDays(control: ControlQueries, projectId: string): Promise<DayOfGeneration[]> {
  const rows = await control
    .selectFrom('close_days')
    .select(['day', 'generation'])
    .distinct()
    .where('project_id', '=', projectId)
    .execute();
  return rows.map(({ day, generation }) => ({ projectId, day, generation }));
}

/** The condition `sql` without rows that closes pin. */
export const unlessPinned = (sql: string, { calls }: PinnedCalls): string =>
  calls ? `(${sql}) AND NOT (${calls.sql})` : sql;

/** An entry with this generation in `pinned_copies` requests `cleanUpGenerations`. */
export const anyGeneration = 0;

/** Requests the deletion of rows that no answer reads any more, after a close was deleted or its pins have moved. */
export async function askForCleanUp(transaction: ControlQueries, projectId: string): Promise<void> {
  await transaction
    .insertInto('pinned_copies')
    .values({ project_id: projectId, generation: anyGeneration })
    .onConflict((conflict) => conflict.columns(['project_id', 'generation']).doNothing())
    .execute();
}
