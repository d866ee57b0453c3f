import type { CreditGrantRow, DimensionTagRow, KeptReadingRow, KeyMetricRow, ProjectRow } from './project-rows.ts';

/*
 * Rows of the control store that a close pins (D19.1): those that count on its days, as they were at the close. A
 * pinned row has the columns of the original row and the id of the close.
 */

/** The settings of the project. */
export interface PinnedSettingsRow extends Pick<ProjectRow, 'type' | 'at_risk_below_pct'> {
  close_id: string;
  project_id: string;
}

export interface PinnedTagRow extends DimensionTagRow {
  close_id: string;
}

export interface PinnedGrantRow extends CreditGrantRow {
  close_id: string;
}

/** A revenue entry as answers count it: in USD, under the customer that it is mapped to. */
export interface PinnedRevenueRow {
  close_id: string;
  project_id: string;
  external_id: string;
  customer: string;
  amount: string;
  date_from: string;
  date_to: string;
}

export interface PinnedKeyMetricRow extends KeyMetricRow {
  close_id: string;
}

/** The days of the close that have a stored reading of key metrics. */
export interface PinnedReadingRow extends KeptReadingRow {
  close_id: string;
}
