import type { SelectQueryBuilder } from 'kysely';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import type { ControlSchema, RevenueEntryRow } from '../../storage/control/schema.ts';
import { rateOf, selectCounted } from './counted.ts';

/** A revenue entry that counts, with its amount as it is stored. */
type CountedEntryRow = Pick<RevenueEntryRow, 'customer' | 'amount' | 'date_from' | 'date_to'> & {
  /** The exchange rate that converts the amount; null for an amount in USD. */
  rate: string | null;
};

/** Counted revenue entries to select from, under the name `entries`. */
export type CountedEntries = SelectQueryBuilder<ControlSchema & { entries: CountedEntryRow }, 'entries', object>;

/** The entries of a project that count now. */
export const countedNow = (control: ControlQueries, projectId: string): CountedEntries =>
  control.selectFrom(
    selectCounted(control, projectId)
      .select(['customer', 'amount', 'date_from', 'date_to', rateOf.as('rate')])
      .as('entries'),
  );

/** The entries that counted at a close. */
export const countedAtClose = (control: ControlQueries, closeId: string): CountedEntries =>
  control.selectFrom((from) =>
    from
      .selectFrom('pinned_revenue')
      .where('close_id', '=', closeId)
      .select(({ lit }) => [
        'customer',
        'amount',
        'date_from',
        'date_to',
        lit(null).$castTo<string | null>().as('rate'),
      ])
      .as('entries'),
  );
