import type { Command } from 'commander';
import { pathStep } from './api.ts';
import {
  type CauseOfDifference,
  type Difference,
  type Named,
  printCauses,
  printDifferences,
  toRow,
} from './difference.ts';
import { follow } from './follow.ts';
import { printJson, printTable, toCount } from './print.ts';
import { asProjectCommand, openProject, type ProjectOptions } from './project-option.ts';

interface Reprice {
  readonly id: string;
  readonly state: 'queued' | 'running' | 'done' | 'failed';
  readonly progress: number;
  readonly failure: string | null;
  readonly dry_run: boolean;
  readonly date_from: string;
  readonly date_to: string;
  readonly before: number | null;
  readonly after: number | null;
  readonly reread: boolean;
  readonly by_cause: readonly CauseOfDifference[];
  readonly by_day: readonly (Difference & { readonly date: string })[];
  readonly by_model: readonly (Difference & { readonly model: string })[];
  readonly other_models: Difference & { readonly models: number };
  readonly by_customer: readonly (Difference & { readonly customer: string })[];
  readonly others: Difference & { readonly customers: number };
}

interface RepriceOptions extends ProjectOptions {
  readonly from: string;
  readonly to?: string;
  readonly apply?: boolean;
  readonly reread?: boolean;
}

/** The most customers or models in a table; JSON has the 1,000 largest differences. */
const mostShown = 20;

/** `farthing prices reprice`: shows what past days would cost by current prices, or puts that in force. */
export function addReprice(prices: Command): void {
  asProjectCommand(
    prices
      .command('reprice')
      .description('Show what past days would cost by current prices. Nothing changes without --apply.')
      .requiredOption('--from <day>', 'the first day')
      .option('--to <day>', 'the last day (default: today)')
      .option('--reread', 'read the stored text of the events again too, by what this release understands')
      .option('--apply', 'put the new numbers in force, all at once')
      .action(runReprice),
    'farthing prices reprice --from 2026-10-01 --to 2026-10-31 --apply',
  );
}

async function runReprice(options: RepriceOptions): Promise<void> {
  const { api } = await openProject(options);
  const { id } = await api.post<{ id: string }>('/api/prices/reprice/', {
    date_from: options.from,
    ...(options.to !== undefined && { date_to: options.to }),
    dry_run: !options.apply,
    ...(options.reread && { reread: true }),
  });
  const reprice = await follow('reprice', () => api.get<Reprice>(`/api/prices/reprices/${pathStep(id)}/`));
  if (options.json) printJson(reprice);
  else printReprice(reprice);
}

function printReprice(reprice: Reprice): void {
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
  console.log(
    isDryRun
      ? 'Nothing has changed. Run the same command with --apply to put this in force.'
      : `The new numbers are in force (${reprice.id}).`,
  );
}

const toNamed = (name: string, { before, after }: Difference): Named => ({ name, before, after });

const othersOf = (noun: string, count: number, difference: Difference): Named[] =>
  count === 0 ? [] : [toNamed(`${toCount(count)} other ${noun}`, difference)];
