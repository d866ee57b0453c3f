import { audited, column, type RowsOf } from './audited.ts';
import type { RevenueEntryRow } from './billing-rows.ts';

export const closeTables = {
  /** A close of all days up to one (D19.1, docs/decisions/0020). */
  closes: audited('close', {
    id: column<string>('key'),
    project_id: column<string>('project'),
    through: column<string>('text'),
    note: column<string | null>('text'),
    requested_at: column<number>('hidden'),
    /** When everything was pinned; null before that. */
    closed_at: column<number | null>('hidden'),
    timezone: column<string>('text'),
    /** The generation under which the crossing runs of its days are recorded. */
    base_generation: column<number>('hidden'),
    /** Days before this one were frozen; null for none. */
    frozen_before: column<string | null>('hidden'),
    /** The version of the seals under which it stores readings. */
    readings_version: column<number>('hidden'),
    /** Incremented whenever a pin moves to another generation or an erasure changes what it names. */
    moves: column<number>('hidden'),
  }),
};

type Rows = RowsOf<typeof closeTables>;

export type CloseRow = Rows['closes'];

export interface CloseDayRow {
  close_id: string;
  project_id: string;
  day: string;
  generation: number;
  /** 0 while the day is answered from its calls. */
  seal: number;
  /** The seal in `frozen_readings`; 0 when the day has no readings. */
  readings: number;
}

/** A generation that holds copies of calls for closes; 0 asks for a clean-up of copies that no close pins. */
export interface PinnedCopyRow {
  project_id: string;
  generation: number;
}

/** A row that counts on the days of a close, as it was at the close (D19.1). */
export type Pinned<Row> = Row & { close_id: string };

/** A revenue entry as answers count it: in USD, under the customer that it is mapped to. */
export type PinnedRevenueRow = Pinned<
  Pick<RevenueEntryRow, 'project_id' | 'external_id' | 'customer' | 'amount' | 'date_from' | 'date_to'>
>;
