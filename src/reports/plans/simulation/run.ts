import type { KeyMetric } from '../../../accounts/key-metrics/key-metrics.ts';
import { type Period, toDay } from '../../../lib/days.ts';
import { stepsInTurns } from '../../../lib/in-turns.ts';
import { type Decimal, parseDecimal, type WideMoney, widen } from '../../../lib/money.ts';
import { AnswerTooLarge, type Fault, Problem } from '../../../lib/problem.ts';
import type { PagePlan } from '../../asking/page.ts';
import { listPeriods } from '../../asking/periods.ts';
import type { AnswerSources } from '../../asking/sources.ts';
import type { Allocation, DaySpan } from '../../facts/allocation.ts';
import type { AsOf } from '../../facts/as-of.ts';
import type { MarginQuestion } from '../../margin/parse.ts';
import { readMarginRecords } from '../../margin/records.ts';
import { byPeriod, readAll } from '../read-all.ts';
import type { CustomerMonth } from './bill.ts';
import { choosePlans, type PlaceOf } from './choose-customers.ts';
import { PaidDays, toMonth } from './paid-days.ts';
import type { Simulation } from './parse.ts';
import { type AskedPlan, metricOf, pricesOf, type Unit } from './plan.ts';
import { keyOfUse, readUsed, type Used } from './read-used.ts';
import { type Simulated, type SimulatedPlan, simulatePlan } from './simulate.ts';

/** The most months of customers that a simulation holds: 5,000 customers for three years. */
const mostMonths = 180_000;

export interface SimulationResult {
  readonly range: Period;
  readonly target: Decimal | undefined;
  readonly plans: readonly (SimulatedPlan & { readonly name: string })[];
  /** Customers that no plan selects. They pay what they paid. */
  readonly others: Omit<Simulated, 'simulatedRevenue'> & { readonly customers: number };
  readonly includeShared: boolean;
}

/** @throws Problem `invalid_body` for unknown key metrics, `beyond_retention`, `answer_too_large` */
export async function runSimulation(
  asOf: AsOf,
  simulation: Simulation,
  range: Period,
  sources: AnswerSources,
): Promise<SimulationResult> {
  const { plans } = simulation;
  const metrics = requireMetrics(await asOf.facts.readKeyMetrics(), plans);
  const placeOf = await choosePlans(asOf.facts, plans);
  const plan: PagePlan = {
    ...{ identity: 'simulation', limit: 0, range, periods: listPeriods(range, 'month'), afterValue: undefined },
  };
  const units = new Set(plans.flatMap((asked) => pricesOf(asked).charges.map(({ unit }) => unit)));
  const isWanted = (customer: string) => placeOf(customer) !== undefined;
  const used = await readUsed(asOf, { units, metrics, isWanted }, plan, sources);
  const { months, others } = await readMonths(asOf, { ...simulation, plan, placeOf, used }, sources);
  const target = simulation.target ?? toTarget(asOf.project.atRiskBelowPct);
  const simulated: SimulationResult['plans'][number][] = [];
  for (const [at, asked] of plans.entries()) {
    const steps = simulatePlan(pricesOf(asked), asked.included?.unit, months[at] ?? [], target);
    simulated.push({ name: asked.name, ...(await stepsInTurns(steps)) });
  }
  return { range, target, plans: simulated, others, includeShared: simulation.includeShared };
}

/** The margin at risk of the project, as a target; undefined where no revenue can reach it. */
function toTarget(atRiskBelowPct: number | null): Decimal | undefined {
  if (atRiskBelowPct === null || atRiskBelowPct < 0 || atRiskBelowPct >= 100) return undefined;
  return parseDecimal(atRiskBelowPct) ?? undefined;
}

/** The key metrics that are units of plans. @throws Problem `invalid_body`, which names every place of an unknown one */
function requireMetrics(known: readonly KeyMetric[], plans: readonly AskedPlan[]): KeyMetric[] {
  const byName = new Map(known.map((metric) => [metric.name, metric]));
  const found = new Set<KeyMetric>();
  const errors: Fault[] = [];
  const look = (unit: Unit | undefined, pointer: string) => {
    const name = unit && metricOf(unit);
    if (name === undefined) return;
    const metric = byName.get(name);
    if (metric) found.add(metric);
    else errors.push({ pointer, code: 'invalid_value', message: 'must name a key metric of this project' });
  };
  for (const [at, { included, overage }] of plans.entries()) {
    look(included?.unit, `/plans/${at}/included/unit`);
    look(overage?.unit, `/plans/${at}/overage/unit`);
  }
  if (errors.length === 0) return [...found];
  throw new Problem('invalid_body', 'Some units are not key metrics: GET /api/key-metrics/ lists them.', { errors });
}

interface MonthsWanted {
  readonly plan: PagePlan;
  readonly applyCredits: boolean;
  readonly includeShared: boolean;
  readonly placeOf: PlaceOf;
  readonly used: Used;
}

/** Reads what customers paid and cost in each month: those of each plan, and the sums of all others. */
async function readMonths(
  asOf: AsOf,
  { plan, applyCredits, includeShared, placeOf, used }: MonthsWanted,
  sources: AnswerSources,
): Promise<{ readonly months: readonly (readonly CustomerMonth[])[]; readonly others: SimulationResult['others'] }> {
  const question = marginOf(plan, { applyCredits, includeShared });
  const monthOf = new Map(plan.periods.map(toMonth).map((month) => [month.period, month]));
  const months: CustomerMonth[][] = [];
  const others = { names: new Set<string>(), revenue: 0n, cost: 0n, shared: 0n };
  let count = 0;
  for await (const page of byPeriod(readAll(plan, (part) => readMarginRecords(asOf, question, part, sources)))) {
    const month = monthOf.get(page[0]?.period ?? 0);
    if (!month) continue;
    const spans = await readSpans(asOf, month.whole, placeOf);
    const paidDays = new PaidDays(month);
    for (const { period, value: customer, revenue, cost, shared = 0n } of page) {
      const place = placeOf(customer);
      if (place === undefined) {
        if (customer !== '') others.names.add(customer);
        others.revenue += widen(revenue);
        others.cost += cost;
        others.shared += shared;
        continue;
      }
      count += 1;
      const key = keyOfUse(period, customer);
      const usedOf = (unit: Unit): WideMoney => (unit === 'cost' ? cost : (used.get(unit)?.get(key) ?? 0n));
      const ofPlan = months[place] ?? [];
      ofPlan.push({ customer, paid: paidDays.of(spans.get(customer) ?? []), revenue, cost, shared, usedOf });
      months[place] = ofPlan;
    }
    if (count > mostMonths) {
      throw new AnswerTooLarge(`A simulation reads at most ${mostMonths} months of customers: ask for fewer days.`);
    }
  }
  const { names, ...sums } = others;
  return { months, others: { ...sums, customers: names.size } };
}

/** The spans of the revenue of more than 0 that the customers of plans have in a month. */
async function readSpans(
  { facts }: AsOf,
  month: DaySpan,
  placeOf: PlaceOf,
): Promise<ReadonlyMap<string, readonly DaySpan[]>> {
  const entries = await facts.readAllocations({ dateFrom: toDay(month.from), dateTo: toDay(month.to) });
  const spans = new Map<string, DaySpan[]>();
  for (const { customer, allocation } of entries) {
    if (placeOf(customer) === undefined || !isEarning(allocation)) continue;
    const own = spans.get(customer);
    if (own) own.push(allocation);
    else spans.set(customer, [allocation]);
  }
  return spans;
}

const isEarning = ({ isNegative, daily, rest }: Allocation): boolean => !isNegative && (daily > 0n || rest > 0);

const marginOf = (
  { identity, range }: PagePlan,
  costs: Pick<MarginQuestion, 'applyCredits' | 'includeShared'>,
): MarginQuestion => ({
  ...{
    dateFrom: range.dateFrom,
    dateTo: range.dateTo,
    granularity: 'month',
    groupBy: 'customer',
    isGrouped: true,
    identity,
  },
  customers: undefined,
  usedFeatures: undefined,
  ...costs,
});
