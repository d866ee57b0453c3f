import { Command } from 'commander';
import type { PlanRow } from '../reports/plans/run.ts';
import type { SavedWire } from '../reports/plans/simulation/saved-routes.ts';
import type { SimulationAnswer } from '../reports/plans/simulation/wire.ts';
import { pathStep } from './api.ts';
import { orDash, printJson, printTable, toCount, toDollars } from './print.ts';
import { asProjectCommand, openProject, type ProjectOptions } from './project-option.ts';

interface RangeOptions extends ProjectOptions {
  readonly from: string;
  readonly to?: string;
  readonly tag: string;
  readonly target?: string;
  readonly applyCredits?: boolean;
  readonly includeShared?: boolean;
}

interface SimulateOptions extends Partial<RangeOptions> {
  readonly plan?: string;
  readonly base?: string;
  readonly unit?: string;
  readonly price?: string;
  readonly included?: string;
  readonly saved?: string;
}

export function plansCommand(): Command {
  const plans = new Command('plans').description('Show how plans pay, and what other prices would have earned.');
  const withRange = (command: Command) =>
    command
      .option('--tag <key>', 'the tag of customers whose values are the plans', 'plan')
      .option('--target <percent>', 'the margin to reach, in percent of revenue')
      .option('--apply-credits', 'costs after free AI credits')
      .option('--include-shared', 'with shared costs');
  asProjectCommand(
    withRange(
      plans
        .command('list', { isDefault: true })
        .description('Show what each plan earns and costs, and how its cost is spread over customers.')
        .requiredOption('--from <day>', 'the first day')
        .option('--to <day>', 'the last day (default: today)'),
    ).action(listPlans),
    'farthing plans list --from 2026-10-01 --to 2026-10-31 --target 70',
  );
  asProjectCommand(
    withRange(
      plans
        .command('simulate')
        .description('Show what a plan would have earned at other prices, or ask a saved simulation again.')
        .option('--saved <name>', 'a saved simulation; other options replace its days and target')
        .option('--from <day>', 'the first day')
        .option('--to <day>', 'the last day (default: today)')
        .option('--plan <value>', 'the plan: a value of the tag')
        .option('--base <usd>', 'what a month costs, in USD')
        .option('--unit <unit>', 'what is charged beside it: calls, tokens, cost or key_metric:NAME')
        .option('--price <usd>', 'what one more costs, in USD')
        .option('--included <amount>', 'how much of a month is not charged'),
    ).action(simulate),
    'farthing plans simulate --from 2026-07-01 --to 2026-09-30 --plan pro --base 34 --target 70',
  );
  return plans;
}

async function listPlans(options: RangeOptions): Promise<void> {
  const { api } = await openProject(options);
  const question = {
    ...{ date_from: options.from, date_to: options.to, aggregate: 'all', limit: 1_000 },
    ...{ plan_tag: options.tag, target_margin_pct: options.target },
    ...toSwitches(options),
  };
  const { rows } = await api.post<{ readonly rows: readonly PlanRow[] }>('/api/plans/', question);
  if (options.json) return printJson({ rows });
  printTable(
    ['plan', 'customers', 'revenue', 'cost', 'margin', 'half cost up to', 'dearest', 'below zero', 'below target'],
    rows.map((row) => [
      orDash(row.plan === '' ? null : row.plan),
      toCount(row.customers),
      toDollars(row.revenue),
      toDollars(row.cost),
      `${toDollars(row.margin)} (${toPercent(row.margin_pct)})`,
      toDollars(row.cost_per_customer.p50),
      toDollars(row.cost_per_customer.most),
      toCount(row.below_zero),
      orDash(row.below_target === null ? null : toCount(row.below_target)),
    ]),
  );
}

async function simulate(options: SimulateOptions): Promise<void> {
  const { api } = await openProject(options);
  const { saved, from, to, target } = options;
  const question =
    saved === undefined
      ? { plans: [toPlan(options)] }
      : (await api.get<SavedWire>(`/api/plans/simulations/${pathStep(saved)}/`)).question;
  const answer = await api.post<SimulationAnswer>('/api/plans/simulate/', {
    ...question,
    ...(from !== undefined && { date_from: from }),
    ...(to !== undefined && { date_to: to }),
    ...(target !== undefined && { target_margin_pct: target }),
    ...toSwitches(options),
  });
  if (options.json) return printJson(answer);
  printTable(
    ['plan', 'customers', 'earned', 'would have', 'margin', 'if so', 'pay more', 'below zero', 'base for the target'],
    answer.plans.map((plan) => [
      plan.name,
      toCount(plan.customers),
      toDollars(plan.revenue),
      toDollars(plan.simulated_revenue),
      toPercent(plan.margin_pct),
      toPercent(plan.simulated_margin_pct),
      toCount(plan.pay_more),
      `${toCount(plan.simulated_below_zero)}, was ${toCount(plan.below_zero)}`,
      plan.target_base.base_per_month === null
        ? orDash(plan.target_base.reason)
        : `${toDollars(plan.target_base.base_per_month)} a month`,
    ]),
  );
}

/** Only what is switched on: a saved simulation keeps its own. */
const toSwitches = ({ applyCredits, includeShared }: Pick<RangeOptions, 'applyCredits' | 'includeShared'>) => ({
  ...(applyCredits && { apply_credits: true }),
  ...(includeShared && { include_shared: true }),
});

/** Amounts stay text: the API reads them exactly, and says what is missing. */
const toPlan = ({ plan, tag = 'plan', base, unit, price, included }: SimulateOptions) => ({
  name: plan,
  customers: { customer_tags: { [tag]: plan } },
  base_per_month: base,
  ...((unit !== undefined || price !== undefined) && { overage: { unit, price } }),
  ...(included !== undefined && { included: { unit, amount: included } }),
});

const toPercent = (percent: number): string => `${percent.toFixed(1)}%`;
