import { findLastEnd, type GrantBalance, listInUse } from '../../billing/credits/grant-end.ts';
import type { PartWire } from '../../billing/invoices/reconciliation/wire.ts';
import { addDays, type Day } from '../../lib/days.ts';
import { linkPath } from '../../lib/link-path.ts';
import { type WideMoney, wideToJsonNumber } from '../../lib/money.ts';
import { bucketNames, usageBuckets } from '../../lib/usage-buckets.ts';
import { type CoveredCosts, coveredShares, type DailyGross } from '../../reports/facts/burn-down.ts';
import { openCovering } from '../../reports/facts/covering.ts';
import type { WasteCause } from '../../reports/waste/causes.ts';
import type { Alternatives } from '../../reports/waste/parse.ts';
import type { Waste } from '../../reports/waste/run.ts';
import { spellCount, spellPaid, spellUsd } from '../rule/wording.ts';
import type { LatePrice } from './late-prices.ts';
import { mostGroups } from './late-prices-sql.ts';
import { type Step, type StepDays, toAmounts } from './step.ts';

/* What each kind of numbers advises. Pure: `find-steps.ts` reads the numbers, and ranks the steps. */

/** What the calls of a model used and cost, as `POST /api/usage/` and `POST /api/costs/` show it. */
export interface ModelUsage {
  readonly model: string;
  readonly calls: number;
  readonly unpricedCalls: number;
  /** By bucket, with the API's names. */
  readonly tokens: Readonly<Record<string, number>>;
  /** USD. */
  readonly cost: number;
}

/** What a customer paid and cost, as `POST /api/margin/` shows it. */
export interface CustomerMargin {
  readonly customer: string;
  /** USD. */
  readonly revenue: number;
  readonly cost: number;
  readonly margin: number;
}

/** Reasons name the days and the amount of the page that the step leads to. */
const spellDays = ({ from, to }: StepDays): string => `From ${from} to ${to}`;

/**
 * The customer that loses most, and how many others lose too. Nothing before any revenue is entered: then none is known to
 * lose. Calls without a customer are nobody's loss.
 */
export function findUnprofitable(margins: readonly CustomerMargin[], days: StepDays): Step[] {
  if (!margins.some(({ revenue }) => revenue !== 0)) return [];
  const losing = margins.filter(({ customer, margin }) => customer !== '' && margin < 0);
  const [worst, ...others] = losing.toSorted((a, b) => a.margin - b.margin);
  if (!worst) return [];
  const { customer, revenue, cost, margin } = worst;
  const more =
    others.length === 0
      ? ''
      : ` ${spellCount(others.length, 'other customer')} ${others.length === 1 ? 'costs' : 'cost'} more than ${others.length === 1 ? 'it pays' : 'they pay'}, too.`;
  return [
    {
      kind: 'unprofitable_customer',
      subject: customer,
      ...toAmounts(-margin, days),
      reason: `${spellDays(days)}, ${customer} ${spellPaid(revenue, cost)} and cost ${spellUsd(cost)}: a loss of ${spellUsd(-margin, cost)}.${more}`,
      link: linkPath(['customers', customer], { from: days.from, to: days.to }),
    },
  ];
}

const sumTokens = ({ tokens }: Pick<ModelUsage, 'tokens'>): number =>
  usageBuckets.reduce((sum, bucket) => sum + (tokens[bucketNames[bucket]] ?? 0), 0);

/**
 * Models with calls that have no price, unless they have one by now. Their cost is estimated with the average price of a token of the models whose
 * calls all have a price. Without such a model there is no estimate.
 */
export function findUnpricedModels(
  models: readonly ModelUsage[],
  pricedNow: ReadonlySet<string>,
  days: StepDays,
): Step[] {
  const priced = models.filter(({ unpricedCalls }) => unpricedCalls === 0);
  const tokens = priced.reduce((sum, model) => sum + sumTokens(model), 0);
  if (tokens === 0) return [];
  const average = priced.reduce((sum, { cost }) => sum + cost, 0) / tokens;
  return models.flatMap((model): Step[] => {
    const { model: subject, unpricedCalls, calls } = model;
    if (unpricedCalls === 0 || pricedNow.has(subject)) return [];
    const amount = average * sumTokens(model) * (unpricedCalls / calls);
    return [
      {
        kind: 'unpriced_model',
        subject,
        ...toAmounts(amount, days),
        reason: `${spellDays(days)}, ${spellCount(unpricedCalls, 'call')} of ${subject || 'no model'} had no price: about ${spellUsd(amount)} at the average price of a token of your other models.`,
        link: linkPath(['prices'], { from: days.from, to: days.to }),
      },
    ];
  });
}

const cut = ` Only the ${spellCount(mostGroups, 'kind')} of alike calls with most calls are counted: a reprice covers all.`;

/** Prices that came after the calls: the page of the link previews a reprice of just these days, and applies it. */
export const findLatePrices = (late: readonly LatePrice[], days: StepDays): Step[] =>
  late.map(
    (price): Step => ({
      kind: 'late_price',
      subject: price.model,
      ...toAmounts(Math.abs(price.difference), days),
      reason: `${spellWhat(price)}: repricing these days ${price.difference < 0 ? 'lowers' : 'raises'} their cost by ${spellUsd(Math.abs(price.difference))}.${price.isCut ? cut : ''}`,
      link: linkPath(['prices'], { from: price.from, to: price.to }),
    }),
  );

function spellWhat({ model, calls, unpricedCalls, from, to }: LatePrice): string {
  const named = `${spellCount(calls, 'call')} of ${model} from ${from} to ${to}`;
  const have = calls === 1 ? 'has' : 'have';
  if (unpricedCalls === calls) return `${named} had no price, and ${have} one now`;
  const without = unpricedCalls === 0 ? '' : `, ${unpricedCalls} of which had none,`;
  return `${named}${without} ${have} another price now`;
}

/** A model's part of the difference between the newest invoice and the computed cost. */
export interface ReconciledModel {
  readonly model: string;
  readonly parts: readonly PartWire[];
}

/** Prices that the newest invoice contradicts, where one price override would settle it. */
export const findInvoicePrices = (models: readonly ReconciledModel[], days: StepDays): Step[] =>
  models.flatMap(({ model, parts }) =>
    parts
      .filter(({ kind, override }) => kind === 'price' && override !== undefined)
      .map(({ amount: difference }): Step => {
        return {
          kind: 'invoice_price',
          subject: model,
          ...toAmounts(Math.abs(difference), days),
          reason: `${spellDays(days)}, the invoice charges ${spellUsd(Math.abs(difference))} ${difference < 0 ? 'less' : 'more'} for ${model} than its calls are priced at.`,
          link: linkPath(['reconciliation'], { month: days.from.slice(0, 7) }),
        };
      }),
  );

/** An end that is further away is no next step. */
const soonDays = 60;

interface Credits {
  readonly grants: readonly (GrantBalance & { readonly used: number; readonly models: readonly string[] | null })[];
  /** The gross cost of the project by day, provider and model, and the shares that credits covered. */
  readonly costs: readonly DailyGross[];
  readonly burnDown: CoveredCosts;
  readonly today: Day;
}

/**
 * The cost to pay once credits end, if they end soon: for each grant, what credits covered of the models of which no
 * grant in use ends later. What a grant covered that is used up, of models that none in use covers, is paid already.
 */
export function findCreditEnds({ grants, costs, burnDown, today }: Credits, days: StepDays): Step[] {
  const inUse = listInUse(grants, today);
  const shareOf = coveredShares(burnDown);
  const grantsOf = openCovering(inUse);
  const covered = new Map<string, WideMoney>();
  const lastOf = new Map<string, ReturnType<typeof findLastEnd>>();
  for (const cost of costs) {
    const share = cost.day < days.from || cost.day > days.to ? 0n : shareOf(cost);
    if (share === 0n) continue;
    const key = JSON.stringify([cost.provider, cost.model]);
    if (!lastOf.has(key)) lastOf.set(key, findLastEnd([...grantsOf(cost)]));
    const id = lastOf.get(key)?.grant.id;
    if (id !== undefined) covered.set(id, (covered.get(id) ?? 0n) + cost.cost * share);
  }
  return inUse.flatMap((grant): Step[] => {
    const day = findLastEnd([grant])?.day;
    const total = covered.get(grant.id);
    if (total === undefined || day === undefined || day > addDays(today, soonDays)) return [];
    const amount = wideToJsonNumber(total);
    return [
      {
        kind: 'credit_end',
        subject: grant.name ?? grant.provider,
        ...toAmounts(amount, days),
        reason: `${spellDays(days)}, free credits of ${grant.provider} paid ${spellUsd(amount)} of the cost. They end on ${day}.`,
        link: linkPath(['credits'], { from: days.from, to: days.to }),
      },
    ];
  });
}

/** The reason to give for each cause; model swaps are steps of their own. */
const reasons: Readonly<Record<Exclude<WasteCause, 'dearer_model'>, (amount: string) => string>> = {
  failed: (amount) => `calls that failed cost ${amount}`,
  retried: (amount) => `calls that try again after a failure cost up to ${amount}`,
  aborted: (amount) => `calls whose answers were not read to the end cost ${amount}`,
  uncached_input: (amount) =>
    `prompts that follow others of their size within 5 minutes, and used no cache, cost up to ${amount} more than cached ones`,
};

export const findWaste = ({ rows }: Pick<Waste, 'rows'>, days: StepDays): Step[] =>
  rows.flatMap(({ cause, amount }): Step[] => {
    if (cause === 'dearer_model') return [];
    return [
      {
        kind: 'waste',
        subject: cause,
        ...toAmounts(amount, days),
        reason: `${spellDays(days)}, ${reasons[cause](spellUsd(amount))}.`,
        link: linkPath(['waste'], { from: days.from, to: days.to }),
      },
    ];
  });

/** What the calls of a model cost above the same usage, on the same terms, of its alternative. */
export interface DearerModel {
  readonly model: string;
  /** USD. */
  readonly amount: number;
}

/** Models whose usage would cost less with the next smaller model of their family, as waste has it. */
export const findModelSwaps = (dearer: readonly DearerModel[], smaller: Alternatives, days: StepDays): Step[] =>
  dearer.map(({ model, amount }): Step => {
    const other = smaller.get(model) ?? '';
    return {
      kind: 'model_swap',
      subject: `${model} → ${other}`,
      ...toAmounts(amount, days),
      reason: `${spellDays(days)}, the calls of ${model} would have cost ${spellUsd(amount)} less with ${other}, if its answers are good enough: try it first.`,
      link: linkPath(['waste'], { from: days.from, to: days.to, swap: { [model]: other } }),
    };
  });
