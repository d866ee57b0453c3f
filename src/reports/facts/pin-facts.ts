import { sql } from 'kysely';
import { readKeyMetrics } from '../../accounts/key-metrics/key-metrics.ts';
import { identifyReading, resolveReadings } from '../../accounts/key-metrics/readings.ts';
import { earliestDay } from '../../lib/day-field.ts';
import { addDays, type Day } from '../../lib/days.ts';
import type { TaggedDimension } from '../../lib/dimensions.ts';
import { formatMoney } from '../../lib/money.ts';
import { type ControlQueries, changeRows, deleteRows, requireRow } from '../../storage/control/control-store.ts';
import type { ControlSchema } from '../../storage/control/schema/schema.ts';
import { readCountedRevenue } from './counted.ts';

const factTables = [
  'pinned_settings',
  'pinned_tags',
  'pinned_grants',
  'pinned_revenue',
  'pinned_key_metrics',
  'pinned_readings',
  'pinned_shared_costs',
] as const satisfies readonly (keyof ControlSchema)[];

/** The tables whose rows of the project a close copies, with the columns to copy. */
const copies = [
  { from: 'dimension_tags', to: 'pinned_tags', columns: ['dimension', 'name', 'key', 'value'] },
  {
    from: 'credit_grants',
    to: 'pinned_grants',
    columns: ['id', 'name', 'provider', 'models', 'amount', 'starts_on', 'expires_on', 'priority', 'created_at'],
  },
  {
    from: 'key_metrics',
    to: 'pinned_key_metrics',
    columns: ['name', 'event_type', 'aggregation', 'field', 'features', 'unit', 'created_at', 'updated_at'],
  },
  {
    from: 'shared_costs',
    to: 'pinned_shared_costs',
    columns: ['external_id', 'name', 'amount', 'date_from', 'date_to', 'allocate_by', 'scope'],
  },
  { from: 'kept_readings', to: 'pinned_readings', columns: ['reading', 'kept_from', 'kept_before'] },
] as const;

/** How many rows one statement reads or writes: SQLite takes at most 32,766 values. */
const chunkRows = 2_000;

export interface CloseToPin {
  readonly closeId: string;
  readonly projectId: string;
  /** The last day of the close. */
  readonly through: Day;
}

/**
 * Pins the facts that count on the days of a close, as they are in the transaction of the close. The transaction holds
 * the lock of the project, so that the statements see one state. The close stores the readings of key metrics, so they
 * count as kept for all its days that were not frozen before (D19.1).
 */
export async function pinFacts(transaction: ControlQueries, close: CloseToPin): Promise<void> {
  const { closeId, projectId } = close;
  await sql`insert into pinned_settings (close_id, project_id, type, at_risk_below_pct)
    select ${closeId}, id, type, at_risk_below_pct from projects where id = ${projectId}`.execute(transaction);
  for (const { from, to, columns } of copies) {
    const copied = sql.join(columns.map((column) => sql.ref(column)));
    await sql`insert into ${sql.table(to)} (close_id, project_id, ${copied})
      select ${closeId}, project_id, ${copied} from ${sql.table(from)} where project_id = ${projectId}`.execute(
      transaction,
    );
  }
  await pinRevenue(transaction, close);
  await pinReadings(transaction, close);
}

/** Pins the revenue that counts on a day of the close. Entries that begin later earn nothing there. */
async function pinRevenue(transaction: ControlQueries, { closeId, projectId, through }: CloseToPin): Promise<void> {
  for (let after: string | undefined; ; ) {
    const entries = await readCountedRevenue(transaction, projectId, { after, limit: chunkRows });
    const rows = entries
      .filter(({ dateFrom }) => dateFrom <= through)
      .map(({ externalId, customer, amount, dateFrom, dateTo }) => ({
        close_id: closeId,
        project_id: projectId,
        external_id: externalId,
        customer,
        amount: formatMoney(amount),
        date_from: dateFrom,
        date_to: dateTo,
      }));
    if (rows.length > 0) await transaction.insertInto('pinned_revenue').values(rows).execute();
    if (entries.length < chunkRows) return;
    after = entries.at(-1)?.externalId;
  }
}

async function pinReadings(transaction: ControlQueries, { closeId, projectId, through }: CloseToPin): Promise<void> {
  const { list } = resolveReadings(await readKeyMetrics(transaction, projectId));
  if (list.length === 0) return;
  const { frozen_before } = await requireRow(transaction, 'projects', { id: projectId });
  const keptFrom = frozen_before ?? earliestDay;
  const keptBefore = addDays(through, 1);
  // If all days of the close are frozen, the readings that freezing kept are enough.
  if (keptFrom >= keptBefore) return;
  await transaction
    .insertInto('pinned_readings')
    .values(
      list.map((reading) => ({
        close_id: closeId,
        project_id: projectId,
        reading: identifyReading(reading),
        kept_from: keptFrom,
        kept_before: keptBefore,
      })),
    )
    // A row that freezing kept may begin on the same day.
    .onConflict((conflict) =>
      conflict.columns(['close_id', 'reading', 'kept_from']).doUpdateSet({ kept_before: keptBefore }),
    )
    .execute();
}

export async function unpinFacts(transaction: ControlQueries, closeId: string): Promise<void> {
  for (const table of factTables) await transaction.deleteFrom(table).where('close_id', '=', closeId).execute();
}

/**
 * Removes an erased name from the facts of all closes: erasure takes precedence over a close (D19.2). Its tags are
 * deleted. Its revenue stays in the totals under the empty name, like its costs.
 */
export async function eraseFromClosedFacts(
  transaction: ControlQueries,
  projectId: string,
  { dimension, name }: { readonly dimension: TaggedDimension; readonly name: string },
): Promise<void> {
  await deleteRows(transaction, 'pinned_tags', { project_id: projectId, dimension, name });
  if (dimension === 'user') return;
  await changeRows(transaction, 'pinned_revenue', { project_id: projectId, customer: name }, { customer: '' });
}
