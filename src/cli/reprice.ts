import { type Command, InvalidArgumentError } from 'commander';
import type { RepriceDetail } from '../calls/rebuild/reprice-routes.ts';
import { parseJson } from '../lib/json.ts';
import { pathStep } from './api.ts';
import { type Difference, type Named, printCauses, printDifferences, toRow } from './difference.ts';
import { follow } from './follow.ts';
import { printJson, printTable, toCount, toDollars } from './print.ts';
import { asProjectCommand, openProject, type ProjectOptions } from './project-option.ts';

interface RepriceOptions extends ProjectOptions {
  readonly from: string;
  readonly to?: string;
  readonly apply?: boolean;
  readonly reread?: boolean;
  readonly assumeModel?: Readonly<Record<string, string>>;
  readonly assumeOverride?: readonly unknown[];
  readonly assumeCachedShare?: string;
  readonly assumeServiceTier?: string;
}

function collectModel(text: string, others: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError('It must be model=model.');
  return { ...others, [text.slice(0, at)]: text.slice(at + 1) };
}

function collectOverride(text: string, others: readonly unknown[] = []): readonly unknown[] {
  try {
    return [...others, parseJson(text)];
  } catch {
    throw new InvalidArgumentError('It must be JSON.');
  }
}

/** The most customers or models in a table; JSON has the 1,000 largest differences. */
const mostShown = 20;

export function addReprice(prices: Command): void {
  asProjectCommand(
    prices
      .command('reprice')
      .description('Show what past days would cost by current or assumed prices. Nothing changes without --apply.')
      .requiredOption('--from <day>', 'the first day')
      .option('--to <day>', 'the last day (default: today)')
      .option('--reread', 'also read the stored texts of the events again, as this release understands them')
      .option('--apply', 'put the new numbers in force, all at once')
      .option('--assume-model <from=to>', 'what if calls of one model were of another; may be repeated', collectModel)
      .option(
        '--assume-override <json>',
        'what if this price override, as POST /api/prices/ takes it, were in force; may be repeated',
        collectOverride,
      )
      .option('--assume-cached-share <0..1>', 'what if this share of the input tokens were read from the cache')
      .option('--assume-service-tier <name>', 'what if this service tier had served the calls')
      .action(runReprice),
    'farthing prices reprice --from 2026-10-01 --to 2026-10-31 --assume-model gpt-4o=gpt-4o-mini',
  );
}

async function runReprice(options: RepriceOptions): Promise<void> {
  const { api } = await openProject(options);
  const { from, to, apply, reread } = options;
  const body = { date_from: from, date_to: to, dry_run: !apply, reread, assume: readAssumption(options) };
  const { id } = await api.post<Pick<RepriceDetail, 'id'>>('/api/prices/reprice/', body);
  const reprice = await follow('reprice', () => api.get<RepriceDetail>(`/api/prices/reprices/${pathStep(id)}/`));
  if (options.json) printJson(reprice);
  else printReprice(reprice);
}

function readAssumption({ assumeModel, assumeOverride, assumeCachedShare, assumeServiceTier }: RepriceOptions) {
  const assume = {
    ...{ models: assumeModel, overrides: assumeOverride },
    ...{ cached_share: assumeCachedShare, service_tier: assumeServiceTier },
  };
  return Object.values(assume).some((value) => value !== undefined) ? assume : undefined;
}

function printReprice(reprice: RepriceDetail): void {
  const { before, after, dry_run: isDryRun, date_from: from, date_to: to } = reprice;
  const total = { before: before ?? 0, after: after ?? 0 };
  printTable([`${from} to ${to}`, 'before', 'after', 'difference'], [toRow('all calls', total)]);
  if (reprice.reread) printCauses(reprice.by_cause);
  printDifferences(
    'day',
    reprice.by_day.map((row) => toNamed(row.date, row)),
    reprice.by_day.length,
  );
  printDifferences(
    'model',
    [
      ...reprice.by_model.map((row) => toNamed(row.model || '(none)', row)),
      ...othersOf('models', reprice.other_models.models, reprice.other_models),
    ],
    mostShown,
  );
  printDifferences(
    'customer',
    [
      ...reprice.by_customer.map((row) => toNamed(row.customer || '(none)', row)),
      ...othersOf('customers', reprice.others.customers, reprice.others),
    ],
    mostShown,
  );
  printMargins(reprice);
  if (reprice.not_changed !== null) printNotChanged(reprice.not_changed);
  for (const { model, kinds } of reprice.widened ?? []) {
    console.log(
      `No price of ${model || '(none)'} is known for ${kinds.join(', ')}: such tokens cost what a wider kind does.`,
    );
  }
  const unchanged = reprice.what_if
    ? 'Nothing has changed: this was a what-if.'
    : 'Nothing has changed. Run the same command with --apply to put this in force.';
  console.log(isDryRun ? unchanged : `The new numbers are in force (${reprice.id}).`);
}

/** Prints the margins of customers, if any of them has revenue. */
function printMargins({ by_customer: rows }: RepriceDetail): void {
  const earning = rows.filter(({ revenue }) => revenue !== null && revenue !== 0);
  if (earning.length === 0) return;
  printTable(
    ['customer', 'revenue', 'margin before', 'margin after'],
    earning
      .slice(0, mostShown)
      .map(({ customer, revenue, margin_before: before, margin_after: after }) => [
        customer || '(none)',
        ...[revenue, before, after].map((amount) => toDollars(amount ?? 0)),
      ]),
  );
  if (earning.length > mostShown) console.log(`and ${toCount(earning.length - mostShown)} more: --json shows them`);
}

const reasons = { reported_cost: 'their events say what they cost', no_price: 'no price is known' } as const;

function printNotChanged({ calls, by_model: rows }: NonNullable<RepriceDetail['not_changed']>): void {
  if (calls === 0) return;
  printTable(
    ['calls that keep their cost', 'calls', 'cost', 'because'],
    rows
      .slice(0, mostShown)
      .map((row) => [row.model || '(none)', toCount(row.calls), toDollars(row.cost), reasons[row.reason]]),
  );
  if (rows.length > mostShown) console.log(`${toCount(calls)} calls in all: --json shows more`);
}

const toNamed = (name: string, { before, after }: Difference): Named => ({ name, before, after });

const othersOf = (noun: string, count: number, difference: Difference): Named[] =>
  count === 0 ? [] : [toNamed(`${toCount(count)} other ${noun}`, difference)];
