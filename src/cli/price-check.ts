import type { Command } from 'commander';
import type { PriceCheckWire } from '../reports/price-check/routes.ts';
import { AdminApi } from './api.ts';
import { printJson, printTable, toCount } from './print.ts';
import { asProjectCommand, openProject, type ProjectOptions } from './project-option.ts';

interface CheckOptions extends ProjectOptions {
  readonly days: string;
  readonly look?: boolean;
}

export function addPriceCheck(prices: Command): void {
  asProjectCommand(
    prices
      .command('check')
      .description('Compare list prices with a second source. Exits with 1 when a model in use differs.')
      .option('--days <days>', 'models with calls on so many last days are in use', '30')
      .option('--look', 'first fetch the newest list prices and compare with them too; they do not come into force')
      .action(checkPrices),
    'farthing prices check --look',
  );
}

async function checkPrices(options: CheckOptions): Promise<void> {
  const { api } = await openProject(options);
  if (options.look) await new AdminApi(options).post('/admin/prices/look/');
  const check = await api.get<PriceCheckWire>(`/api/price-check/?${new URLSearchParams({ days: options.days })}`);
  const inUse = check.models.filter(({ calls, overridden_calls: overridden }) => calls > overridden);
  if (inUse.length > 0) process.exitCode = 1;
  if (options.json) printJson(check);
  else printCheck(check, inUse.length);
}

function printCheck({ days, catalogue, newer, source, models }: PriceCheckWire, inUse: number): void {
  const against = [`${source.name} ${source.version}`, ...(newer ? [`the newer catalogue ${newer.version}`] : [])];
  console.log(`Catalogue ${catalogue.version} against ${against.join(' and ')}, USD per million tokens:`);
  printTable(
    ['finding', 'provider', 'model', `calls in ${days} days`, 'rate', 'listed', 'other', 'ratio'],
    models.flatMap(({ finding, provider, model, calls, rates }) =>
      rates.map(({ rate, listed, other, ratio }) => [
        finding,
        provider,
        model,
        toCount(calls),
        rate,
        toRate(listed),
        toRate(other),
        ratio === null ? '–' : `× ${Number(ratio.toPrecision(3))}`,
      ]),
    ),
  );
  console.log(
    inUse === 0
      ? `No model with calls in the last ${days} days is among them.`
      : `${toCount(inUse)} of them are in use: compare with the page of the provider, and set a price or update the list prices.`,
  );
}

const toRate = (usd: number | null): string => (usd === null ? '–' : String(usd));
