import type { Generations } from '../../calls/generations.ts';
import type { Day } from '../../lib/days.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import type { CloseRow } from '../../storage/control/schema/close-rows.ts';

/** The columns of a finished close that determine its generations. */
export type MadeClose = Pick<CloseRow, 'id' | 'through' | 'timezone' | 'base_generation' | 'frozen_before'>;

/** The generations, seals and stored readings that a close pins. */
export async function readPinnedGenerations(control: ControlQueries, close: MadeClose): Promise<Generations> {
  const rows = await control
    .selectFrom('close_days')
    .select(['day', 'generation', 'seal', 'readings'])
    .where('close_id', '=', close.id)
    .execute();
  const byDay = new Map<Day, number>();
  const seals = new Map<Day, number>();
  const readings = new Map<Day, number>();
  const openDays: Day[] = [];
  for (const { day, generation, seal, readings: ofReadings } of rows) {
    byDay.set(day, generation);
    if (seal > 0) seals.set(day, seal);
    else openDays.push(day);
    if (ofReadings > 0) readings.set(day, ofReadings);
  }
  return {
    timezone: close.timezone,
    base: close.base_generation,
    byDay,
    frozenBefore: close.frozen_before ?? undefined,
    seals,
    openDays,
    pinned: { through: close.through, readings },
  };
}
