// What could be better, as the API answers.

export type WasteCause = 'failed' | 'retried' | 'aborted' | 'uncached_input' | 'dearer_model';

/** Money that calls of one cause cost for nothing. */
export interface WasteRow {
  readonly cause: WasteCause;
  /** Whether the amount is exact, or the most that it can be. */
  readonly bound: 'exact' | 'upper';
  readonly calls: number;
  readonly amount: number;
  /** Of the whole cost, from 0 to 1. */
  readonly share: number;
  readonly definition: string;
}

export interface Waste {
  readonly total_cost: number;
  readonly calls: number;
  /** Exact amounts alone. */
  readonly wasted: number;
  /** With upper bounds. */
  readonly wasted_at_most: number;
  readonly share: number;
  readonly rows: readonly WasteRow[];
}

export interface Earnings {
  readonly revenue: number;
  readonly cost: number;
  readonly margin: number;
  readonly margin_pct: number;
}

/** Margins with the free credits, and without them. */
interface Cliff {
  readonly now: Earnings;
  readonly after: Earnings;
}

export interface CliffCustomer extends Cliff {
  readonly customer: string;
  /** Whether the customer becomes unprofitable when the credits end, and when that is. */
  readonly turns: boolean;
  readonly turns_on: string | null;
}

export interface CreditCliff extends Cliff {
  readonly date_from: string;
  readonly date_to: string;
  readonly credits_left: number;
  /** The day on which the last credits end; null when they last. */
  readonly ends_on: string | null;
  readonly customers: readonly CliffCustomer[];
  /** The customers that are not listed, together. */
  readonly others: Cliff & { readonly count: number; readonly turns: number };
}

export type StepKind = 'unpriced_model' | 'late_price' | 'invoice_price' | 'credit_end' | 'waste' | 'model_swap';

export interface NextStep {
  readonly kind: StepKind;
  readonly subject: string;
  /** USD. */
  readonly amount_per_month: number;
  readonly reason: string;
  /** The path of the page that shows the calls behind the number, with its query. */
  readonly link: string;
}

export interface NextSteps {
  readonly steps: readonly NextStep[];
}
