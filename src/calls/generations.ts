import type { Day } from '../lib/days.ts';
import type { ControlQueries } from '../storage/control/control-store.ts';

/** Which rows answers read. All of it changes in one transaction, so one statement reads it. */
export interface Generations {
  readonly timezone: string;
  /** The generation of every day that is not in `byDay`. */
  readonly base: number;
  readonly byDay: ReadonlyMap<Day, number>;
  /** Days before it are frozen (docs/decisions/0010): nobody reads or writes their calls. Undefined without any. */
  readonly frozenBefore: Day | undefined;
  /** The seal of each sealed day, which selects its rows in the cell tables. */
  readonly seals: ReadonlyMap<Day, number>;
  /** Days that may have calls and have no valid seal. */
  readonly openDays: readonly Day[];
  /** The last day of the latest close. Days up to it may be pinned. Undefined without closes. */
  readonly closedThrough?: Day | undefined;
  /** Set in the generations of a close. `byDay` then has all days of the close. */
  readonly pinned?: Pinned;
}

/** What an answer as of a close reads besides generations and seals. */
export interface Pinned {
  readonly through: Day;
  /** The seal of each day's readings, for days that have any. An answer as of a close reads no events. */
  readonly readings: ReadonlyMap<Day, number>;
}

/** The generation of days that are not in a close. No row is in it. */
export const noGeneration = 2 ** 53 - 1;

export const generationOf = ({ base, byDay }: Generations, day: Day): number => byDay.get(day) ?? base;

export const isFrozen = ({ frozenBefore }: Pick<Generations, 'frozenBefore'>, day: Day): boolean =>
  frozenBefore !== undefined && day < frozenBefore;

/** An answer reads them once, for all its statements. @throws Error for an unknown project */
export async function readGenerations(control: ControlQueries, projectId: string): Promise<Generations> {
  const rows = await control
    .selectFrom('projects')
    .leftJoin('days', 'days.project_id', 'projects.id')
    .select([
      'projects.timezone',
      'projects.base_generation',
      'projects.frozen_before',
      'projects.closed_through',
      'days.day',
      'days.generation',
      'days.touched',
      'days.sealed',
      'days.seal',
    ])
    .where('projects.id', '=', projectId)
    .execute();
  const first = rows[0];
  if (!first) throw new Error(`There is no project ${projectId}`);
  const byDay = new Map<Day, number>();
  const seals = new Map<Day, number>();
  const openDays: Day[] = [];
  const frozenBefore = first.frozen_before ?? undefined;
  for (const { day, generation, touched, sealed, seal } of rows) {
    if (day === null) continue;
    if (isFrozen({ frozenBefore }, day)) {
      if (seal !== null) seals.set(day, seal);
      continue;
    }
    if (generation !== null && generation !== first.base_generation) byDay.set(day, generation);
    if (seal !== null && sealed === touched) seals.set(day, seal);
    else openDays.push(day);
  }
  const { timezone, base_generation: base, closed_through: through } = first;
  return { timezone, base, byDay, frozenBefore, seals, openDays, closedThrough: through ?? undefined };
}
