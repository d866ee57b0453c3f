// What the sheet of plans asks, as the URL has it, and what its answers say in words.

import type { AskedPlan, PlanRow, SavedSimulation, SimulatedPlan } from '../api/types.ts';
import { toCount, toDollars, toPercent, toProseDollars } from '../lib/format.ts';
import type { DayRange, Search } from '../state/search.ts';

/** The sheet of a URL: what is asked, and the saved simulation that it comes from. */
export interface Sheet {
  /** The tag whose values are the plans. */
  readonly tag: string;
  /** The margin to reach, in percent. */
  readonly target: number | undefined;
  /** The plans of the sheet; undefined until one is tried. */
  readonly plans: readonly AskedPlan[] | undefined;
  /** The name of the saved simulation. */
  readonly saved: string | undefined;
}

const defaultTag = 'plan';
/** The margin to reach where the project names none: what software companies aim at. */
const defaultTargetPct = 70;

type Raw = Readonly<Record<string, unknown>>;
const isRaw = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value);
const toText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const toAmount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/** Reads the sheet of a URL. What is invalid is ignored, since a URL may be typed by hand. */
export function readSheet(raw: unknown): Sheet {
  const { tag, target, plans, saved } = isRaw(raw) ? raw : {};
  const read = Array.isArray(plans) ? plans.flatMap(readPlan) : [];
  return {
    tag: toText(tag) ?? defaultTag,
    target: typeof target === 'number' && target >= 0 && target <= 99 ? target : undefined,
    plans: read.length > 0 ? read : undefined,
    saved: toText(saved),
  };
}

function readPlan(raw: unknown): AskedPlan[] {
  if (!isRaw(raw)) return [];
  const [name, base] = [toText(raw.name), toAmount(raw.base_per_month)];
  const customers = readCustomers(raw.customers);
  if (name === undefined || base === undefined || !customers) return [];
  const { included, overage } = raw;
  const [amount, price] = [
    isRaw(included) ? toAmount(included.amount) : undefined,
    isRaw(overage) ? toAmount(overage.price) : undefined,
  ];
  const [of, unit] = [
    isRaw(included) ? toText(included.unit) : undefined,
    isRaw(overage) ? toText(overage.unit) : undefined,
  ];
  const markup = toAmount(raw.markup_pct);
  return [
    {
      name,
      customers,
      base_per_month: base,
      ...(of !== undefined && amount !== undefined && { included: { unit: of, amount } }),
      ...(unit !== undefined && price !== undefined && { overage: { unit, price } }),
      ...(markup !== undefined && { markup_pct: markup }),
    },
  ];
}

function readCustomers(raw: unknown): AskedPlan['customers'] | undefined {
  if (!isRaw(raw)) return undefined;
  const isText = (value: unknown): value is string => typeof value === 'string';
  if (Array.isArray(raw.names)) return { names: raw.names.filter(isText) };
  if (!isRaw(raw.customer_tags)) return undefined;
  const tags = Object.entries(raw.customer_tags).map(([key, values]) => [key, [values].flat().filter(isText)] as const);
  return { customer_tags: Object.fromEntries(tags) };
}

/** The margin to reach: that of the URL, else of the project. */
export const resolveTarget = ({ target }: Sheet, atRiskBelowPct: number | null): number =>
  target ??
  (atRiskBelowPct !== null && atRiskBelowPct >= 0 && atRiskBelowPct <= 99 ? atRiskBelowPct : defaultTargetPct);

/** The most plans that one simulation takes. */
const mostPlans = 100;

/** The plans in the order of the page: the dearest first, and customers without a plan last. */
export const toRanked = (rows: readonly PlanRow[]): PlanRow[] =>
  rows.toSorted((a, b) => Number(a.plan === '') - Number(b.plan === '') || b.cost - a.cost);

/** The plans of rows with a base of 1 USD: what the base earns then is how many months were paid. */
export const toOnes = (rows: readonly PlanRow[], tag: string): AskedPlan[] =>
  toRanked(rows)
    .filter(({ plan }) => plan !== '')
    .slice(0, mostPlans)
    .map(({ plan }) => ({ name: plan, customers: { customer_tags: { [tag]: [plan] } }, base_per_month: 1 }));

/** A link names at most so many customers of a plan. */
export const mostNamed = 50;

/** What a customer of the plan pays in a month, on average, of a simulation with a base of 1 USD. */
export const paidPerMonth = ({ revenue, simulated_base: months }: SimulatedPlan): number =>
  months === 0 ? 0 : Math.max(0, revenue / months);

/** The same plan at what its customers pay now, to the cent. */
export const toTried = (one: AskedPlan, now: SimulatedPlan): AskedPlan => ({
  ...one,
  base_per_month: Math.round(100 * paidPerMonth(now)) / 100,
});

/** A price up to the next cent, so that it reaches the margin. */
export const toCents = (amount: number): number => Math.ceil(Number((100 * amount).toFixed(6))) / 100;

/** An included amount down to whole units, or to cents of cost, so that it reaches the margin. */
export const toIncluded = (amount: number, unit: string): number =>
  unit === 'cost' ? Math.floor(Number((100 * amount).toFixed(6))) / 100 : Math.floor(Number(amount.toFixed(8)));

/** A price that reaches a margin, as one says it: whole dollars from 10 USD on. */
export const toPrice = (amount: number): string =>
  amount >= 10 ? `$${toCount(Math.ceil(Number(amount.toFixed(8))))}` : toDollars(toCents(amount));

const baseReasons: Readonly<Record<NonNullable<SimulatedPlan['target_base']['reason']>, string>> = {
  no_target: 'has no target',
  no_customers: 'had no customers on these days',
  no_cost: 'costs nothing: any price is all margin',
  usage_reaches_it: 'reaches it without a base',
  out_of_range: 'needs more than anybody pays',
};

/** What a plan needs, such as "needs $34 a month for a margin of 70.0%". */
export function toNeed({ target_base: { base_per_month: base, reason } }: SimulatedPlan, target: number): string {
  if (base !== null) return `needs ${toPrice(base)} a month for a margin of ${toPercent(target)}`;
  return baseReasons[reason ?? 'no_target'];
}

/** What units of usage are called. */
export function nameUnit(unit: string): string {
  if (unit === 'cost') return 'USD of cost';
  return unit.startsWith(metricPrefix) ? unit.slice(metricPrefix.length) : unit;
}
export const metricPrefix = 'key_metric:';

/** Who is below zero, such as "3 of 12 cost more than they pay". */
export const toBelowZero = ({ customers, below_zero: below }: Pick<PlanRow, 'customers' | 'below_zero'>): string =>
  below === 0
    ? 'Every customer pays for itself'
    : `${toCount(below)} of ${toCount(customers)} ${below === 1 ? 'costs more than it pays' : 'cost more than they pay'}`;

/** What the most expensive customers cost and pay. */
export function toDearest({ dearest_tenth: { customers, cost, revenue } }: PlanRow): string {
  const who =
    customers === 1 ? 'The most expensive customer costs' : `The most expensive ${toCount(customers)} customers cost`;
  const dollars = toProseDollars(cost, revenue);
  return `${who} ${dollars(cost)} and ${customers === 1 ? 'pays' : 'pay'} ${dollars(revenue)}`;
}

/** Who would pay more, such as "12 would pay more, 3 less". */
export const toDearer = ({ pay_more: more, pay_less: less, customers }: SimulatedPlan): string => {
  if (more === 0 && less === 0) return 'Everybody would pay the same';
  if (more === customers) return 'Everybody would pay more';
  if (less === customers) return 'Everybody would pay less';
  return `${toCount(more)} would pay more, ${toCount(less)} less`;
};

interface PlansQuestion {
  readonly days: DayRange;
  readonly search: Search;
  readonly toKnown: (days: DayRange) => DayRange;
}

/** What the page asks of plans: its switches and days, since days before the first call would make each month cheaper. */
export function toPlansBody({ days, search, toKnown }: PlansQuestion) {
  const { from, to } = toKnown(days);
  return {
    ...{ date_from: from, date_to: to },
    ...(search.credits && { apply_credits: true }),
    ...(search.shared && { include_shared: true }),
  };
}

/** The sheet, the days and the switches of a saved simulation. */
export const openSaved = ({ name, question }: SavedSimulation, sheet: Sheet, today: string) => ({
  sheet: { ...sheet, target: question.target_margin_pct ?? sheet.target, plans: question.plans, saved: name },
  from: question.date_from,
  to: question.date_to ?? today,
  credits: question.apply_credits || undefined,
  shared: question.include_shared || undefined,
});
