import { noTerms, noUnits } from '../../src/lib/units.ts';
import { type Usage, type UsageBucket, usageBuckets } from '../../src/lib/usage-buckets.ts';
import { type Catalogue, installedCatalogue, openCatalogue } from '../../src/pricing/catalogue.ts';
import type { CostedCall } from '../../src/pricing/cost.ts';
import { installedLists } from '../../src/pricing/lists/installed-lists.ts';
import type { PriceOverride } from '../../src/pricing/overrides.ts';
import { type OpenedBook, openBook } from '../../src/pricing/price-book.ts';
import { currentCorrections } from '../../src/pricing/reviewed-prices.ts';
import type { Supplement } from '../../src/pricing/supplement-data.ts';
import type { GoldenLine } from './golden-case.ts';
import { corrections } from './reviewed.ts';

export function openInstalledCatalogue(): Catalogue {
  return openCatalogue(installedCatalogue().data, currentCorrections().data);
}

/** A book of the installed catalogue and corrections with these overrides. */
export function openInstalledBook(overrides: readonly PriceOverride[] = []): OpenedBook {
  return openBook({ overrides }, openInstalledCatalogue());
}

/** The catalogue's entry of a model, for calls without terms. */
export const findEntry = (catalogue: Catalogue, provider: string, model: string) =>
  catalogue.findTariff(provider, model, noTerms).entry;

/** The same with the further lists, as new books of the service have them. */
export async function openBookWithLists(): Promise<OpenedBook> {
  const further = JSON.stringify(await installedLists());
  return openBook({ overrides: [] }, openCatalogue(installedCatalogue().data, currentCorrections().data, further));
}

export function usageOf(buckets: Partial<Record<UsageBucket, number>>): Usage {
  const none = Object.fromEntries(usageBuckets.map((bucket) => [bucket, 0])) as Usage;
  return { ...none, ...buckets };
}

/** The usage that the lines bill. */
export function usageOfLines(lines: readonly GoldenLine[]): Usage {
  return usageOf(
    Object.fromEntries(usageBuckets.map((name) => [name, lines.find(([bucket]) => bucket === name)?.[1] ?? 0])),
  );
}

/** A call of GPT-4o on a day on which every test's override is valid. */
export function callOf(fields: Partial<CostedCall> = {}): CostedCall {
  return {
    provider: 'openai',
    model: 'gpt-4o-2024-08-06',
    terms: noTerms,
    time: Date.parse('2026-11-04T12:00:00Z'),
    day: '2026-11-04',
    usage: usageOf({ input: 412, output: 87 }),
    units: noUnits,
    hasUnknownUsage: false,
    reportedCost: null,
    ...fields,
  };
}

/** An override of every provider's GPT-4o, on every day, at 1 and 2 dollars per million tokens. */
export function overrideOf(fields: Partial<PriceOverride> = {}): PriceOverride {
  return {
    id: 'prc_1',
    provider: null,
    model: 'gpt-4o-2024-08-06',
    terms: {},
    effectiveFrom: null,
    effectiveTo: null,
    inputPerMtok: '1',
    outputPerMtok: '2',
    cacheReadPerMtok: null,
    cacheWritePerMtok: null,
    inputAudioPerMtok: null,
    outputAudioPerMtok: null,
    reasoningPerMtok: null,
    perRequest: null,
    units: {},
    createdAt: 0,
    ...fields,
  };
}

/** The page that made-up supplements name. */
export const page = 'https://example.com/prices';

const supplementOf = (fields: Partial<Supplement>): Supplement => ({
  kind: 'supplement',
  providers: ['openai'],
  source: page,
  checkedOn: '2026-11-24',
  ...fields,
});

/** A book of the installed catalogue with these supplements alone. */
export function bookOf(
  supplements: readonly Partial<Supplement>[],
  overrides: readonly PriceOverride[] = [],
): OpenedBook {
  const reviewed = JSON.stringify([...corrections, ...supplements.map(supplementOf)]);
  return openBook({ overrides }, openCatalogue(installedCatalogue().data, reviewed));
}
