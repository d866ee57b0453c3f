import type { Day } from '../../lib/days.ts';
import { parseJson } from '../../lib/json.ts';
import type { Money } from '../../lib/money.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import type { ControlSchema, SharedCostRow } from '../../storage/control/schema/schema.ts';
import { parseAmount } from './counted.ts';

/** What decides how much of a day's cost falls to a call (D31.1). */
export const weights = ['cost', 'calls', 'tokens', 'output_tokens', 'elapsed'] as const;
export type AllocationBasis = (typeof weights)[number];

/** The calls that share a cost: AND between filters, OR within one; left out for all calls. */
export interface SharedScope {
  readonly providers?: readonly string[];
  readonly models?: readonly string[];
  readonly features?: readonly string[];
  /** Of the calls themselves. Pairs, since an object would lose the key `__proto__`. */
  readonly tags?: readonly (readonly [key: string, values: readonly string[]])[];
}

/** A cost that does not depend on calls, such as a GPU: shared by the calls of its days (D31.1). */
export interface SharedCost {
  /** The caller's own id. An entry with the same id replaces this one. */
  readonly externalId: string;
  readonly name: string;
  readonly amount: Money;
  /** First and last day, inclusive. */
  readonly dateFrom: Day;
  readonly dateTo: Day;
  readonly allocateBy: AllocationBasis;
  readonly scope: SharedScope;
}

/** Only entries with a day from `dateFrom` to `dateTo`, inclusive; undefined leaves that end open. */
export interface SharedCostDays {
  readonly dateFrom?: Day | undefined;
  readonly dateTo?: Day | undefined;
}

/** In one spelling, so that entries of the same calls are known by it. */
export function spellScope({ providers, models, features, tags }: SharedScope): string {
  const sorted = (values: readonly string[] | undefined) => values && [...new Set(values)].sort();
  const byKey = tags && [...tags].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({
    providers: sorted(providers),
    models: sorted(models),
    features: sorted(features),
    tags: byKey?.map(([key, values]) => [key, sorted(values)]),
  } satisfies { [Name in keyof SharedScope]-?: unknown });
}

type SharedColumns = Omit<SharedCostRow, 'project_id' | 'created_at' | 'updated_at'>;

export const toSharedCost = (row: SharedColumns): SharedCost => ({
  externalId: row.external_id,
  name: row.name,
  amount: parseAmount(row.amount),
  dateFrom: row.date_from,
  dateTo: row.date_to,
  allocateBy: row.allocate_by,
  scope: parseJson(row.scope) as SharedScope,
});

/** Reads the entries of a table in the order of their ids: of a project as they are now, or of a close. */
export async function readSharedCosts<Table extends 'shared_costs' | 'pinned_shared_costs'>(
  control: ControlQueries,
  table: Table,
  of: Readonly<Partial<ControlSchema[Table]>>,
  { dateFrom, dateTo }: SharedCostDays,
): Promise<SharedCost[]> {
  let query = control
    .selectFrom(table as 'pinned_shared_costs')
    .select(['external_id', 'name', 'amount', 'date_from', 'date_to', 'allocate_by', 'scope'])
    .where((row) => row.and(of as Partial<ControlSchema['pinned_shared_costs']>));
  if (dateFrom !== undefined) query = query.where('date_to', '>=', dateFrom);
  if (dateTo !== undefined) query = query.where('date_from', '<=', dateTo);
  return (await query.orderBy('external_id').execute()).map(toSharedCost);
}
