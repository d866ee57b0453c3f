import { z } from 'zod';
import type { Day } from '../../lib/days.ts';
import { quotientField } from '../../lib/http/row-fields.ts';

const stepKinds = [
  'unprofitable_customer',
  'unpriced_model',
  'late_price',
  'invoice_price',
  'credit_end',
  'waste',
  'model_swap',
] as const;
/** What may be worth a trial. All else is to be mended, and takes the places first. */
const ideas: ReadonlySet<string> = new Set(['waste', 'model_swap']);

/** Something worth doing. */
export const stepSchema = z.object({
  kind: z.enum(stepKinds),
  subject: z.string().describe('The customer, the model, the cause of waste or the grant that it is about.'),
  amount: quotientField('USD on the days of the page that `link` leads to, as that page shows it.'),
  amount_per_month: quotientField(
    'USD in 30 days, at the rate of the days that it is judged by, from the first call on.',
  ),
  reason: z.string().describe('One sentence with the number in it.'),
  link: z.string().describe('The path of the page that shows what makes up the number.'),
});

export type Step = z.output<typeof stepSchema>;

/** The days that the numbers cover. */
export interface StepDays {
  readonly from: Day;
  readonly to: Day;
  /** Of those since the project's first call. */
  readonly count: number;
}

const monthDays = 30;

/** An amount of these days, and what it is in a month at their rate. */
export const toAmounts = (amount: number, { count }: Pick<StepDays, 'count'>) => ({
  amount,
  amount_per_month: (amount * monthDays) / count,
});

/** Smaller amounts, in USD a month, are no step. */
const leastAmount = 0.01;
const mostSteps = 5;

/** The steps that matter, the largest amount first. Ideas take only the places that others leave. */
export function rankSteps(steps: readonly Step[]): Step[] {
  const largestFirst = steps
    .filter(({ amount_per_month: amount }) => amount >= leastAmount)
    .toSorted((a, b) => b.amount_per_month - a.amount_per_month);
  const taken = [...largestFirst]
    .sort((a, b) => Number(ideas.has(a.kind)) - Number(ideas.has(b.kind)))
    .slice(0, mostSteps);
  return largestFirst.filter((step) => taken.includes(step));
}
