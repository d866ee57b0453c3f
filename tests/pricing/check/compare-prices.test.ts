import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noTerms } from '../../../src/lib/units.ts';
import { installedCatalogue, openCatalogue, snapshotOf } from '../../../src/pricing/catalogue.ts';
import {
  compareCatalogues,
  compareWithSource,
  type FindRates,
  listRewrittenEntries,
} from '../../../src/pricing/check/compare-prices.ts';
import { findListedRates, type ListedRates, type ModelName } from '../../../src/pricing/check/listed-rates.ts';
import { readSecondSource, toSourceModels } from '../../../src/pricing/check/second-source.ts';
import type { ListedModel } from '../../../src/pricing/lists/llm-zoo.ts';
import { resolveModelPrice } from '../../../src/pricing/model-price.ts';
import { openBook } from '../../../src/pricing/price-book.ts';
import { currentCorrections } from '../../../src/pricing/reviewed-prices.ts';

const now = Date.UTC(2026, 10, 25);
const price = fc.constantFrom('0', '0.5', '1', '2');
/** Prices of models m0 to m5; a model that is absent has none. */
const prices = fc.dictionary(fc.constantFrom('m0', 'm1', 'm2', 'm3', 'm4', 'm5'), fc.tuple(price, price));
type Prices = Record<string, readonly [string, string]>;

const ratesOf = ([input, output]: readonly [string, string]) =>
  new Map([
    ['input', input],
    ['output', output],
  ] as const);
const findIn =
  (list: Prices): FindRates =>
  ({ model }): ListedRates | undefined => {
    const found = Object.hasOwn(list, model) ? list[model] : undefined;
    return found && { provider: 'p', entry: model, rates: ratesOf(found) };
  };

test('D5.2: a second source disagrees exactly where a price differs, and misses exactly what is not listed', () => {
  fc.assert(
    fc.property(prices, prices, (listed, source) => {
      const models = Object.entries(source).map(([model, pair]) => ({ provider: 'p', model, rates: ratesOf(pair) }));
      const found = compareWithSource(models, findIn(listed));
      const expected = Object.entries(source).flatMap(([model, [input, output]]) => {
        const ours = Object.hasOwn(listed, model) ? listed[model] : undefined;
        const rates = [
          { rate: 'input', before: ours?.[0] ?? null, after: input },
          { rate: 'output', before: ours?.[1] ?? null, after: output },
        ].filter(({ before, after }) => before !== after);
        if (rates.length === 0) return [];
        return [{ finding: ours ? 'disagrees' : 'missing', provider: 'p', model, rates }];
      });
      expect(found).toEqual(expected);
    }),
  );
});

test('D5.2: a newer catalogue changes exactly the models whose price differs, each once under all its names', () => {
  fc.assert(
    fc.property(
      prices,
      prices,
      fc.array(fc.constantFrom('m0', 'm1', 'm2', 'm9'), { maxLength: 8 }),
      (old, newer, names) => {
        const asked = names.map((model): ModelName => ({ provider: 'p', model }));
        const found = compareCatalogues(asked, findIn(old), findIn(newer));
        const pairOf = (list: Prices, name: string) => (Object.hasOwn(list, name) ? (list[name] ?? []).join() : '');
        const changed = new Set(names.filter((name) => pairOf(old, name) !== pairOf(newer, name)));
        expect(new Set(found.map(({ model }) => model))).toEqual(changed);
        expect(found.length).toBe(changed.size);
      },
    ),
  );
});

test('D5.2: in the installed catalogue a rewritten entry is found, and nothing else', () => {
  const { data } = installedCatalogue();
  const opened = openCatalogue(data, currentCorrections().data);
  const parsed = JSON.parse(data) as {
    version: string;
    providers: { id: string; models: { id: string; prices: unknown }[] }[];
  };
  const openai = parsed.providers.find(({ id }) => id === 'openai');
  const entry = openai?.models.find(({ id }) => id === 'gpt-4o');
  if (!entry) throw new Error('the catalogue has no such entry');
  entry.prices = { input_mtok: 123, output_mtok: 456 };
  const rewritten = openCatalogue(snapshotOf(parsed).data, currentCorrections().data);
  const names = listRewrittenEntries(opened, rewritten);
  expect(names).toEqual([{ provider: 'openai', model: 'gpt-4o' }]);
  const find =
    (catalogue: typeof opened): FindRates =>
    (name) =>
      findListedRates(catalogue, name, now);
  const [finding, ...others] = compareCatalogues(
    // Another name of the same entry.
    [...names, { provider: '', model: 'gpt-4o-2024-08-06' }],
    find(opened),
    find(rewritten),
  );
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ finding: 'changed', provider: 'openai', model: 'gpt-4o' });
  expect(finding?.rates.find(({ rate }) => rate === 'input')?.after).toBe('123');
});

test('D5.2: the listed rates of a model are those of its price, at every size of the prompt', () => {
  const catalogue = openCatalogue(installedCatalogue().data, currentCorrections().data);
  const book = openBook({ overrides: [] }, catalogue);
  const query = { provider: 'anthropic', model: 'claude-sonnet-4-5', terms: noTerms, time: now, day: '2026-11-25' };
  const shown = resolveModelPrice(query, book);
  if ('unpricedReason' in shown) throw new Error('the model has a price');
  const rates = findListedRates(catalogue, query, now)?.rates;
  expect(rates?.get('input')).toBe(shown.rates.perMtok.input);
  expect(rates?.get('cache_write')).toBe(shown.rates.perMtok.cacheWrite);
  const [tier] = shown.tiers;
  expect(rates?.get(`output_above_${tier?.aboveInputTokens}`)).toBe(tier?.rates.perMtok.output);
});

const listed = (fields: Partial<ListedModel>): ListedModel => ({
  ...{ provider: 'xai', fullName: 'grok', inputPrice: 0.1, outputPrice: 2, openRouterOnly: false },
  ...fields,
});

test('D5.2: of the entries of one name the current one counts; tiers, resellers and subscriptions are left out', () => {
  const models = toSourceModels([
    listed({ inputPrice: 9, deprecated: true }),
    listed({}),
    listed({ inputPrice: 8 }),
    listed({ fullName: 'fast', serviceTier: 'fast' }),
    listed({ fullName: 'resold', openRouterOnly: true }),
    listed({ fullName: 'subscribed', provider: 'copilot' }),
    listed({ fullName: 'old', deprecated: true }),
  ]);
  expect(models).toEqual([
    {
      provider: 'x-ai',
      model: 'grok',
      rates: new Map([
        ['input', '0.1'],
        ['output', '2'],
      ]),
    },
    {
      provider: 'x-ai',
      model: 'old',
      rates: new Map([
        ['input', '0.1'],
        ['output', '2'],
      ]),
    },
  ]);
});

test('D5.2: the installed second source lists models of the same names, most of them at the same price', async () => {
  const { name, version, models } = await readSecondSource();
  expect([name, version]).toEqual(['llm-zoo', expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
  expect(models.length).toBeGreaterThan(80);
  const catalogue = openCatalogue(installedCatalogue().data, currentCorrections().data);
  const findings = compareWithSource(models, (one) => findListedRates(catalogue, one, now));
  expect(findings.length).toBeLessThan(models.length / 2);
});
