import { chunksOf } from '../../lib/chunks.ts';
import { type Day, toDayNumber } from '../../lib/days.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { ControlQueries, ControlStore } from '../../storage/control/control-store.ts';
import type { Lease } from '../../storage/control/lease.ts';
import { callColumns } from '../costing/call-columns.ts';

/** Generations from this one on hold copies of calls for closes; rebuilds have lower ones. */
export const firstCopy = 2 ** 50;

export interface DayOfGeneration {
  readonly projectId: string;
  readonly day: Day;
  readonly generation: number;
}

export interface CopySources {
  readonly store: Pick<AnalyticStore, 'commandOnce'>;
  readonly control: ControlStore;
  readonly lease: Lease;
  /** Called after each step; tests stop there. */
  readonly afterCopyStep?: ((step: CopyStep) => void | Promise<void>) | undefined;
}

/** The steps of a copy. If the process dies after any of them, the next attempt makes another copy. */
export const copySteps = ['noted', 'copied', 'moved'] as const;
export type CopyStep = (typeof copySteps)[number];

/** How a copy differs from its calls: SQL for some of the columns, and the parameters of this SQL. */
export type CopyChanges = Clause & { readonly columns: ReadonlyMap<string, string> };

/**
 * Copies pinned days of one project and month to new generations, then moves the pins. With `changes` the copies
 * differ, and their days are sealed again. @throws LeaseLost
 */
export async function copyPinned(
  sources: CopySources,
  days: readonly DayOfGeneration[],
  changes?: CopyChanges,
): Promise<void> {
  for (const copied of onceEach(days)) await copyToGeneration(sources, copied, changes);
}

type Part = [DayOfGeneration, ...DayOfGeneration[]];

/** Parts that have each day once: two generations of a day in one copy would mix the rows of two closes. */
function onceEach(days: readonly DayOfGeneration[]): Part[] {
  const parts: Part[] = [];
  for (const pin of days) {
    const part = parts.find((others) => others.every(({ day }) => day !== pin.day));
    if (part) part.push(pin);
    else parts.push([pin]);
  }
  return parts;
}

async function copyToGeneration(
  { store, control, lease, afterCopyStep }: CopySources,
  days: Part,
  changes: CopyChanges | undefined,
): Promise<void> {
  const [{ projectId }] = days;
  const generation = firstCopy + (await lease.nextVersion());
  await control.transaction().execute(async (transaction) => {
    await lease.confirm(transaction);
    await transaction.insertInto('pinned_copies').values({ project_id: projectId, generation }).execute();
  });
  await afterCopyStep?.('noted');
  const where = ofDays(days);
  const columns = callColumns.map(({ name }) => name);
  const values = columns.map((name) => {
    if (name === 'generation') return '{copy:UInt64}';
    return changes?.columns.get(name) ?? name;
  });
  await store.commandOnce(
    `INSERT INTO calls (${columns.join(', ')})
      SELECT ${values.join(', ')} FROM calls FINAL WHERE project = {project:String} AND ${where.sql}`,
    { ...where.parameters, ...changes?.parameters, project: projectId, copy: generation },
  );
  await afterCopyStep?.('copied');
  await control.transaction().execute(async (transaction) => {
    await lease.confirm(transaction);
    for (const day of days) {
      await transaction
        .updateTable('close_days')
        .set({ generation, ...(changes && { seal: 0 }) })
        .where('project_id', '=', projectId)
        .where('day', '=', day.day)
        .where('generation', '=', day.generation)
        .execute();
    }
    await noteMoves(transaction, projectId);
  });
  await afterCopyStep?.('moved');
}

/** Makes answers as of the project's closes that are in progress start over, because the pins have moved. */
export async function noteMoves(transaction: ControlQueries, projectId: string): Promise<void> {
  await transaction
    .updateTable('closes')
    .set((row) => ({ moves: row('moves', '+', 1) }))
    .where('project_id', '=', projectId)
    .execute();
}

/** The condition for rows of `calls` of these days, each in its generation. */
export const ofDays = (days: readonly Pick<DayOfGeneration, 'day' | 'generation'>[]): Clause => ({
  sql: `day >= toDate({first_pinned:UInt16}) AND day <= toDate({last_pinned:UInt16}) AND (toUInt16(day), generation) IN (
      SELECT pin.1, pin.2 FROM (SELECT arrayJoin(arrayZip({pinned_days:Array(UInt16)}, {pinned_generations:Array(UInt64)})) AS pin)
    )`,
  parameters: {
    pinned_days: days.map(({ day }) => toDayNumber(day)),
    pinned_generations: days.map(({ generation }) => generation),
    first_pinned: Math.min(...days.map(({ day }) => toDayNumber(day))),
    last_pinned: Math.max(...days.map(({ day }) => toDayNumber(day))),
  },
});

/**
 * Copies the calls of closed days before rows are written to them, and moves the pins (docs/decisions/0020).
 * @throws LeaseLost
 */
export async function keepClosed(sources: CopySources, rows: readonly DayOfGeneration[]): Promise<void> {
  for (const [projectId, ofProject] of Map.groupBy(rows, (row) => row.projectId)) {
    const written = new Set(ofProject.map(keyOf));
    const days = [...new Set(ofProject.map(({ day }) => day))];
    const pins = await readPins(sources, projectId, days);
    const touched = new Map(pins.filter((pin) => written.has(keyOf(pin))).map((pin) => [keyOf(pin), pin]));
    // One copy per month, because a month is a partition.
    for (const ofMonth of Map.groupBy(touched.values(), ({ day }) => day.slice(0, 7)).values()) {
      await copyPinned(sources, ofMonth);
    }
  }
}

const keyOf = ({ day, generation }: Pick<DayOfGeneration, 'day' | 'generation'>): string => `${day} ${generation}`;

/** Days per statement: SQLite takes at most 32,766 values. */
const chunkDays = 4_000;

async function readPins(
  { control }: Pick<CopySources, 'control'>,
  projectId: string,
  days: readonly Day[],
): Promise<DayOfGeneration[]> {
  const pins: DayOfGeneration[] = [];
  for (const chunk of chunksOf(days, chunkDays)) {
    const rows = await control
      .selectFrom('close_days')
      .select(['day', 'generation'])
      .where('project_id', '=', projectId)
      .where('day', 'in', chunk)
      .execute();
    pins.push(...rows.map(({ day, generation }) => ({ projectId, day, generation })));
  }
  return pins;
}
