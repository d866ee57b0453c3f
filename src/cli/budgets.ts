import { Command, InvalidArgumentError } from 'commander';
import type { BudgetStanding, BudgetWire } from '../alerting/budgets/wire.ts';
import { byPlural, type Dimension, dimensionNames } from '../lib/dimensions.ts';
import { pathStep } from './api.ts';
import { orDash, printDone, printJson, printTable, toDollars } from './print.ts';
import { asProjectCommand, openProject, type ProjectOptions, projectCommandsOf } from './project-option.ts';

interface AddOptions extends ProjectOptions, Readonly<Partial<Record<Dimension, readonly string[]>>> {
  readonly amount: string;
  readonly period?: string;
  readonly window?: string;
  readonly each?: string;
  readonly customerTag?: Readonly<Record<string, readonly string[]>>;
  readonly thresholds?: readonly number[];
  readonly applyCredits?: boolean;
}

interface ShowOptions extends ProjectOptions {
  readonly of?: string;
}

const path = (name: string): string => `/api/budgets/${pathStep(name)}/`;

const collect = (text: string, others: readonly string[] = []): string[] => [...others, text];

function collectTags(text: string, others: Readonly<Record<string, readonly string[]>> = {}) {
  const [, key, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new InvalidArgumentError('It must be key=value.');
  return { ...others, [key]: [...(others[key] ?? []), value] };
}

export function budgetsCommand(): Command {
  const budgets = new Command('budgets').description('Set limits on spending in a period, and show what is spent.');
  const command = projectCommandsOf(budgets);
  command('list', 'List the budgets of a project, with what is spent in the current period.', 'farthing budgets list', {
    isDefault: true,
  }).action(listBudgets);
  const add = budgets
    .command('add <name>')
    .description('Make a budget, for all calls unless options narrow it. Options with names may be repeated.')
    .requiredOption('--amount <usd>', 'what may be spent, in USD')
    .option('--period <period>', 'hour, day, week, month or quarter')
    .option('--window <length>', 'instead of a period: the last minutes, hours or days, such as 10m, 6h or 30d')
    .option('--each <dimension>', 'a budget of the amount for each customer, user, feature or run');
  for (const name of dimensionNames) add.option(`--${name} <name>`, `only calls of this ${name}`, collect);
  asProjectCommand(
    add
      .option('--customer-tag <key=value>', 'only calls of customers with this tag', collectTags)
      .option('--thresholds <percents>', 'percentages of the amount at which to alert, such as 50,80,100', (text) =>
        text.split(',').map(Number),
      )
      .option('--apply-credits', 'count what credits cover as not spent')
      .action(addBudget),
    'farthing budgets add "Free plan" --amount 5 --period month --each customer --customer-tag plan=free',
  );
  command(
    'show <name>',
    'Show a budget: what is spent, what is forecast, and the thresholds that are passed.',
    'farthing budgets show "Free plan" --of acme',
  )
    .option('--of <value>', 'one customer, user, feature or run of a budget for each')
    .action(showBudget);
  command('remove <name>', 'Delete a budget. Costs stay as they are.', 'farthing budgets remove "Free plan"').action(
    removeBudget,
  );
  return budgets;
}

async function listBudgets(options: ProjectOptions): Promise<void> {
  const { api } = await openProject(options);
  const { budgets } = await api.get<{ budgets: readonly BudgetWire[] }>('/api/budgets/');
  const shown: BudgetStanding[] = [];
  for (const { name } of budgets) shown.push(await api.get<BudgetStanding>(path(name)));
  if (options.json) return printJson({ budgets: shown });
  printTable(
    ['name', 'amount', 'spent', '', 'forecast', 'resets'],
    shown.map((budget) => [
      budget.name,
      `${toDollars(budget.amount)} ${describeTime(budget)}${budget.each === null ? '' : ` for each ${budget.each}`}`,
      toDollars(budget.spent),
      describeSpent(budget),
      toDollars(budget.forecast),
      orDash(budget.resets_at),
    ]),
  );
}

async function showBudget(name: string, options: ShowOptions): Promise<void> {
  const { api } = await openProject(options);
  const { of } = options;
  const query = of === undefined ? '' : `?${new URLSearchParams({ of })}`;
  const budget = await api.get<BudgetStanding>(`${path(name)}${query}`);
  if (options.json) return printJson(budget);
  printTable(
    ['name', 'amount', 'counts', 'from', 'to', 'spent', '', 'remaining', 'forecast', 'passed'],
    [
      [
        of === undefined ? budget.name : `${budget.name}: ${of}`,
        toDollars(budget.amount),
        describeScope(budget),
        budget.period_from,
        budget.period_to,
        toDollars(budget.spent),
        drawBar(budget.spent_pct),
        toDollars(budget.remaining),
        toDollars(budget.forecast),
        describePassed(budget),
      ],
    ],
  );
  if (!budget.each_spent) return;
  printTable(
    [budget.each ?? '', 'spent', '', 'remaining', 'passed'],
    budget.each_spent.map((one) => [
      one.of,
      toDollars(one.spent),
      drawBar(one.spent_pct),
      toDollars(one.remaining),
      describePassed(one),
    ]),
  );
}

async function addBudget(name: string, options: AddOptions): Promise<void> {
  const { api } = await openProject(options);
  const { amount, period, window, each, thresholds, applyCredits, customerTag } = options;
  const scope = { ...byPlural(dimensionNames, (dimension) => options[dimension]), customer_tags: customerTag };
  const body = { name, amount, period, window, scope, each, thresholds, apply_credits: applyCredits };
  const made = await api.post<BudgetWire>('/api/budgets/', body);
  if (options.json) return printJson(made);
  printTable(
    ['name', 'amount', 'period', 'each', 'counts', 'thresholds'],
    [
      [
        made.name,
        toDollars(made.amount),
        made.period ?? orDash(made.window),
        orDash(made.each),
        describeScope(made),
        made.thresholds.map((pct) => `${pct}%`).join(', '),
      ],
    ],
  );
}

async function removeBudget(name: string, options: ProjectOptions): Promise<void> {
  const { api } = await openProject(options);
  await api.delete(path(name));
  printDone(options, `Removed ${name}.`);
}

/** The bar of a budget. A budget with `each` shows the value with the most spent. */
function describeSpent({ spent_pct: pct, each_spent: each }: BudgetStanding): string {
  if (!each) return drawBar(pct);
  const [most] = each;
  return most ? `${drawBar(most.spent_pct)} ${most.of}` : drawBar(0);
}

const describeTime = ({ period, window }: BudgetWire): string =>
  period === null ? `in ${window}` : period === 'hour' ? 'an hour' : `a ${period}`;

const barLength = 10;

/** A bar of the spent share, with its percentage: full from 100% on. */
function drawBar(pct: number | null): string {
  if (pct === null) return '–';
  const full = Math.max(0, Math.min(barLength, Math.floor((pct / 100) * barLength)));
  return `${'█'.repeat(full)}${'░'.repeat(barLength - full)} ${Math.floor(pct)}%`;
}

const describePassed = ({ thresholds_passed: passed }: Pick<BudgetStanding, 'thresholds_passed'>): string =>
  orDash(passed.map((pct) => `${pct}%`).join(', ') || null);

function describeScope({ scope, apply_credits: isNet }: BudgetWire): string {
  const filters = Object.entries(scope).map(([name, values]) =>
    Array.isArray(values)
      ? `${name} ${values.join(', ')}`
      : Object.entries(values ?? {})
          .map(([key, tags]) => `${key}=${String(tags)}`)
          .join(', '),
  );
  return [filters.join('; ') || 'all calls', ...(isNet ? ['after credits'] : [])].join(', ');
}
