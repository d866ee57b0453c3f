import type { Day } from '../../lib/days.ts';

/** The kinds of next steps. */
export const stepKinds = [
  'unpriced_model',
  'late_price',
  'invoice_price',
  'credit_end',
  'waste',
  'model_swap',
] as const;
export type StepKind = (typeof stepKinds)[number];

/** Something worth doing, with the API's field names. */
export interface Step {
  readonly kind: StepKind;
  /** The model, provider, cause or grant that it is about. */
  readonly subject: string;
  /** USD in 30 days. */
  readonly amount_per_month: number;
  /** One sentence with the number in it. */
  readonly reason: string;
  /** The path of the page that shows what the number is made of. */
  readonly link: string;
}

/** The days that the numbers cover. All of them are over. */
export interface StepDays {
  readonly from: Day;
  readonly to: Day;
  readonly count: number;
}

const monthDays = 30;

/** The amount in a month, at the rate of these days. */
export const toMonth = (amount: number, { count }: Pick<StepDays, 'count'>): number => (amount * monthDays) / count;

/** Smaller amounts, in USD a month, are no step. */
const leastAmount = 0.01;
const mostSteps = 5;

/** The steps that matter, the largest amount first. */
export const rankSteps = (steps: readonly Step[]): Step[] =>
  steps
    .filter(({ amount_per_month: amount }) => amount >= leastAmount)
    .toSorted((a, b) => b.amount_per_month - a.amount_per_month)
    .slice(0, mostSteps);
