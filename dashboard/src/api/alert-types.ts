// What budgets, alerts and notifications are, as the API answers.

export type BudgetPeriod = 'day' | 'week' | 'month' | 'quarter';
export type EachDimension = 'customer' | 'user' | 'feature';

/** The calls whose cost counts for a budget; empty for all. */
export interface BudgetScope {
  readonly customers?: readonly string[];
  readonly users?: readonly string[];
  readonly features?: readonly string[];
  readonly models?: readonly string[];
  readonly providers?: readonly string[];
  readonly customer_tags?: Readonly<Record<string, readonly string[]>>;
}

export interface Budget {
  readonly name: string;
  readonly amount: number;
  readonly period: BudgetPeriod;
  readonly scope: BudgetScope;
  /** The dimension whose values each have a budget of the amount; null for one budget. */
  readonly each: EachDimension | null;
  /** Percentages of the amount, ascending. */
  readonly thresholds: readonly number[];
  readonly apply_credits: boolean;
}

export interface EachSpent {
  readonly of: string;
  readonly spent: number;
  /** Negative when more than the amount is spent; null for all values of `each` together. */
  readonly remaining: number | null;
  readonly spent_pct: number | null;
  readonly thresholds_passed: readonly number[];
}

/** A budget with what is spent in its current period. */
export interface BudgetStanding extends Budget, Omit<EachSpent, 'of'> {
  readonly period_from: string;
  readonly period_to: string;
  readonly resets_at: string;
  /** What will be spent at the end of the period. */
  readonly forecast: number | null;
  /** The values of `each` with the most spent, largest first. */
  readonly each_spent?: readonly EachSpent[];
}

export type AlertKind =
  | 'budget'
  | 'anomaly'
  | 'unprofitable_customer'
  | 'unpriced_model'
  | 'price_change'
  | 'coverage_drop'
  | 'credit_ending'
  | 'no_events';

/** A kind of alert, with the settings of the kind. */
export interface Alert {
  readonly kind: AlertKind;
  readonly enabled: boolean;
  /** The number of open firings. */
  readonly open: number;
  readonly [setting: string]: string | number | boolean;
}

/** A cause of an alert, from its beginning to its end. */
export interface Firing {
  readonly id: string;
  readonly kind: AlertKind;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** The numbers as they were when it fired. */
  readonly numbers: Readonly<Record<string, unknown>>;
  readonly title: string;
  readonly text: string;
  /** Of the page that shows the numbers. */
  readonly path: string;
}

export interface FiringsPage {
  readonly firings: readonly Firing[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

/** Where notifications of a project are sent. */
export interface NotificationEndpoint {
  readonly id: string;
  readonly kind: 'webhook' | 'slack' | 'email';
  /** Null for e-mail; of a Slack URL only the host. */
  readonly url: string | null;
  /** Null except for e-mail. */
  readonly address: string | null;
  /** The kinds of alerts that it gets; null for all. */
  readonly alerts: readonly AlertKind[] | null;
  readonly enabled: boolean;
  /** `gone` when it answered 410 and was disabled for it. */
  readonly disabled_reason: 'gone' | null;
  /** The end of the time in which the previous secret signs too. */
  readonly old_secret_until: string | null;
  /** How many deliveries wait for an attempt. */
  readonly waiting: number;
}

/** An attempt to deliver a notification. */
export interface DeliveryAttempt {
  readonly id: string;
  /** The alert is null for a test. */
  readonly notification: { readonly alert: AlertKind | null; readonly event: 'fired' | 'ended' | 'test' };
  /** Of the delivery, now. */
  readonly state: 'waiting' | 'delivered' | 'given_up';
  readonly at: string;
  readonly status: number | null;
  /** Why it failed; null when it was delivered. */
  readonly error: string | null;
  readonly duration_ms: number;
  readonly next_attempt_at: string | null;
}

export interface AttemptsPage {
  readonly attempts: readonly DeliveryAttempt[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}
