import type { Clock } from '../../lib/clock.ts';
import { formatMoney } from '../../lib/money.ts';
import { type SharedCost, type SharedCostDays, spellScope, toSharedCost } from '../../reports/facts/shared-costs.ts';
import {
  type ControlQueries,
  type ControlStore,
  putRows,
  withProjectLock,
} from '../../storage/control/control-store.ts';
import type { SharedCostRow } from '../../storage/control/schema/billing-rows.ts';

export interface StoredSharedCost extends SharedCost {
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const maxSharedCosts = 10_000;
/** The most pairs of a scope and a weight: a question reads the calls of its days once for each. */
export const maxWaysToShare = 50;

/**
 * Stores all entries or none. An entry replaces the one with the same `external_id` (D31.1). Ids must be distinct.
 * False, and nothing is stored, if the project would have more entries, or ways to share, than it may.
 */
export async function storeSharedCosts(
  control: ControlStore,
  projectId: string,
  entries: readonly SharedCost[],
  clock: Clock,
): Promise<boolean> {
  const now = clock();
  const rows = entries.map(
    (entry): SharedCostRow => ({
      project_id: projectId,
      external_id: entry.externalId,
      name: entry.name,
      amount: formatMoney(entry.amount),
      date_from: entry.dateFrom,
      date_to: entry.dateTo,
      allocate_by: entry.allocateBy,
      scope: spellScope(entry.scope),
      created_at: now,
      updated_at: now,
    }),
  );
  try {
    await withProjectLock(control, projectId, async (transaction) => {
      await putRows(transaction, 'shared_costs', ['project_id', 'external_id'], rows);
      await requireRoom(transaction, projectId);
    });
  } catch (cause) {
    if (cause instanceof NoRoom) return false;
    throw cause;
  }
  return true;
}

/** Rolls the transaction back. */
class NoRoom extends Error {}

async function requireRoom(transaction: ControlQueries, projectId: string): Promise<void> {
  const { count } = await transaction
    .selectFrom('shared_costs')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  const ways = await transaction
    .selectFrom('shared_costs')
    .select(['allocate_by', 'scope'])
    .distinct()
    .where('project_id', '=', projectId)
    .limit(maxWaysToShare + 1)
    .execute();
  if (Number(count) > maxSharedCosts || ways.length > maxWaysToShare) throw new NoRoom();
}

/** The entries that the days select, by external id in code-point order, after `after`, at most `limit`. */
export async function listSharedCosts(
  control: ControlQueries,
  projectId: string,
  { dateFrom, dateTo }: SharedCostDays,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<StoredSharedCost[]> {
  let query = control.selectFrom('shared_costs').selectAll().where('project_id', '=', projectId);
  if (dateFrom !== undefined) query = query.where('date_to', '>=', dateFrom);
  if (dateTo !== undefined) query = query.where('date_from', '<=', dateTo);
  if (after !== undefined) query = query.where('external_id', '>', after);
  const rows = await query.orderBy('external_id').limit(limit).execute();
  return rows.map((row) => ({ ...toSharedCost(row), createdAt: row.created_at, updatedAt: row.updated_at }));
}
