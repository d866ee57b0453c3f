import type { RevenueEntryRow } from './billing-rows.ts';

/** A close of all days up to one (D19.1, docs/decisions/0020). */
export interface CloseRow {
  id: string;
  project_id: string;
  through: string;
  note: string | null;
  requested_at: number;
  /** When everything was pinned; null before that. */
  closed_at: number | null;
  timezone: string;
  /** The generation under which the crossing runs of its days are recorded. */
  base_generation: number;
  /** Days before this one were frozen; null for none. */
  frozen_before: string | null;
  /** The version of the seals under which it stores readings. */
  readings_version: number;
  /** Incremented whenever a pin moves to another generation or an erasure changes what it names. */
  moves: number;
}

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
