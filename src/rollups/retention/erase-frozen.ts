import { isFrozen, readGenerations } from '../../calls/generations.ts';
import { noteMoves } from '../../calls/pins/copies.ts';
import type { Day } from '../../lib/days.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { type ControlStore, changeRows } from '../../storage/control/control-store.ts';
import type { Lease } from '../../storage/control/lease.ts';
import { sealOf } from '../rollups/seal-numbers.ts';
import { copyCells, copyPieces, copyReadings, type ErasedName } from './copy-days.ts';

export interface EraseFrozenSources {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
  readonly lease: Lease;
}

/**
 * Removes a name from some of the frozen days that have it, all in one month; false when no day has it. Its costs and
 * readings stay in the totals under the empty name, because there are no calls and events left to subtract
 * (docs/decisions/0010). The days are copied under new seals, which then replace the old ones.
 * @throws LeaseLost
 */
export async function eraseFromFrozenDays(
  { store, control, lease }: EraseFrozenSources,
  projectId: string,
  erased: ErasedName,
): Promise<boolean> {
  const generations = await readGenerations(control, projectId);
  const frozen = new Map([...generations.seals].filter(([day]) => isFrozen(generations, day)));
  if (frozen.size === 0) return false;
  const ofDimension = (table: string, condition: string) =>
    `SELECT day FROM ${table} WHERE project = {project:String} AND seal IN (SELECT arrayJoin({seals:Array(UInt64)}))
      AND ${erased.dimension} = {name:String} ${condition}`;
  const named = await store.select<{ day: Day }>(
    `SELECT DISTINCT day FROM (
        ${ofDimension('cells', `AND grain = '${erased.dimension}'`)}
        ${erased.dimension === 'user' ? `UNION ALL ${ofDimension('frozen_readings', '')}` : ''}
      ) ORDER BY day LIMIT 31`,
    { project: projectId, seals: [...frozen.values()], name: erased.name },
  );
  const month = named[0]?.day.slice(0, 7);
  if (month === undefined) return false;
  const days = named.flatMap(({ day }) => {
    const seal = frozen.get(day);
    return seal !== undefined && day.startsWith(month) ? [{ day, seal }] : [];
  });
  const version = await lease.nextVersion();
  const copied = { projectId, days, version };
  await copyCells(store, copied, erased);
  await copyPieces(store, copied, erased);
  await copyReadings(store, copied, erased);
  await control.transaction().execute(async (transaction) => {
    await lease.confirm(transaction);
    for (const { day, seal } of days) {
      await changeRows(transaction, 'days', { project_id: projectId, day, seal }, { seal: sealOf(version, day) });
      await changeRows(
        transaction,
        'close_days',
        { project_id: projectId, day, seal },
        { seal: sealOf(version, day), readings: sealOf(version, day) },
      );
    }
    await noteMoves(transaction, projectId);
  });
  return true;
}
