import { Command, InvalidArgumentError } from 'commander';
import type { Waste } from '../reports/waste/run.ts';
import { printJson, printTable, toCount, toDollars } from './print.ts';
import { asProjectCommand, openProject, type ProjectOptions } from './project-option.ts';

interface WasteOptions extends ProjectOptions {
  readonly from: string;
  readonly to?: string;
  readonly alternative?: Readonly<Record<string, string>>;
}

function collectModels(text: string, others: Readonly<Record<string, string>> = {}) {
  const [, from, to] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (from === undefined || to === undefined) throw new InvalidArgumentError('It must be model=cheaper-model.');
  return { ...others, [from]: to };
}

export function wasteCommand(): Command {
  return asProjectCommand(
    new Command('waste')
      .description('Show the money spent for nothing, by cause.')
      .requiredOption('--from <day>', 'the first day')
      .option('--to <day>', 'the last day (default: today)')
      .option(
        '--alternative <model=cheaper-model>',
        'compares a model with a cheaper one; may be repeated',
        collectModels,
      )
      .action(showWaste),
    'farthing waste --from 2026-11-01 --to 2026-11-30 --alternative gpt-4o=gpt-4o-mini',
  );
}

async function showWaste(options: WasteOptions): Promise<void> {
  const { api } = await openProject(options);
  const { from, to, alternative } = options;
  const waste = await api.post<Waste>('/api/waste/', { date_from: from, date_to: to, alternatives: alternative });
  if (options.json) return printJson(waste);
  printTable(
    ['cause', 'calls', 'amount', 'share'],
    [
      ...waste.rows.map(({ cause, bound, calls, amount, share }) => [
        cause,
        toCount(calls),
        `${bound === 'upper' ? 'up to ' : ''}${toDollars(amount)}`,
        toPercent(share),
      ]),
      [
        'all',
        `of ${toCount(waste.calls)}`,
        `${toDollars(waste.wasted)}${spellMost(waste)} of ${toDollars(waste.total_cost)}`,
        toPercent(waste.share),
      ],
    ],
  );
  for (const { cause, calls, definition } of waste.rows) if (calls > 0) console.log(`${cause}: ${definition}`);
}

/** What the bounds add, where there are any. */
const spellMost = ({ wasted, wasted_at_most: most }: Waste): string =>
  most === wasted ? '' : `, at most ${toDollars(most)}`;

const toPercent = (share: number): string => `${(100 * share).toFixed(1)}%`;
