import { Command, Option } from 'commander';
import type { ReconciliationPage, ReconciliationRow } from '../billing/invoices/reconciliation/wire.ts';
import { granularities } from '../reports/asking/periods.ts';
import { readPages } from './api.ts';
import { printJson, printTable, toDollars } from './print.ts';
import { asProjectCommand, openProject, type ProjectOptions } from './project-option.ts';

interface ReconcileOptions extends ProjectOptions {
  readonly from: string;
  readonly to?: string;
  readonly aggregate: string;
  readonly groupBy?: 'provider' | 'model';
}

export function reconcileCommand(): Command {
  return asProjectCommand(
    new Command('reconcile')
      .description('Show why the invoices of providers differ from the computed costs.')
      .requiredOption('--from <day>', 'the first day')
      .option('--to <day>', 'the last day (default: today)')
      .addOption(new Option('--aggregate <period>', 'one row per period').choices(granularities).default('all'))
      .addOption(new Option('--group-by <dimension>', 'one row per value and period').choices(['provider', 'model']))
      .action(reconcile),
    'farthing reconcile --from 2026-11-01 --to 2026-11-30 --group-by provider',
  );
}

async function reconcile(options: ReconcileOptions): Promise<void> {
  const { api } = await openProject(options);
  const { from, to, aggregate, groupBy } = options;
  const question = { date_from: from, date_to: to, aggregate, group_by: groupBy };
  const rows: ReconciliationRow[] = [];
  const ask = (after: object) => api.post<ReconciliationPage>('/api/reconciliation/', { ...question, ...after });
  for await (const page of readPages(ask)) rows.push(...page.rows);
  if (options.json) return printJson({ rows });
  for (const row of rows) printRow(row, groupBy);
  if (rows.length === 0) console.log('There is neither a call nor an invoice in these days.');
}

function printRow(row: ReconciliationRow, groupBy: 'provider' | 'model' | undefined): void {
  const name = groupBy === undefined ? '' : `, ${row[groupBy] || `no ${groupBy}`}`;
  const pct = row.difference_pct === null ? '' : ` (${row.difference_pct.toFixed(2)}%)`;
  printTable(
    [`${row.date_from} to ${row.date_to}${name}`, '', ''],
    [
      ['invoiced', toDollars(row.invoiced), ''],
      ['computed', toDollars(row.computed), ''],
      ['difference', `${toDollars(row.difference)}${pct}`, ''],
      ...row.parts.map(({ kind, amount, hint }) => [`  ${kind.replaceAll('_', ' ')}`, toDollars(amount), hint]),
    ],
  );
  for (const { override } of row.parts) {
    if (override) console.log(`To set this price: POST /api/prices/ ${JSON.stringify(override)}`);
  }
}
