import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { dayMs } from '../../src/lib/days.ts';
import { noTerms } from '../../src/lib/units.ts';
import { resolveModelPrice } from '../../src/pricing/model-price.ts';
import { openBookWithLists } from './support.ts';

/**
 * Prices that the pages of providers had on some day, in US dollars per million tokens. They were read for another
 * project, Metergraph, whose price list of 25 October 2026 names the page of each; no list in this tree comes from it.
 */
const published = z.array(
  z.tuple([
    z.string().describe('provider'),
    z.string().describe('model'),
    z.iso.date().describe('the first day of the price'),
    z.number().describe('input'),
    z.number().nullable().describe('cached input'),
    z.number().describe('output'),
    z.url().describe('the page'),
  ]),
);
const cases = published.parse(JSON.parse(readFileSync(new URL('golden/newest-prices.json', import.meta.url), 'utf8')));
const book = await openBookWithLists();

it('D5.2: the prices of 336 names are those of the providers’ pages', () => {
  const found = cases.map(([provider, model, day, , cached]) => {
    const time = Date.parse(`${day}T12:00:00Z`) + dayMs;
    const price = resolveModelPrice({ provider, model, terms: noTerms, time, day }, book);
    if ('unpricedReason' in price) return [provider, model, day, price.unpricedReason];
    const { input, cacheRead, output } = price.rates.perMtok;
    return [provider, model, day, Number(input), cached === null ? null : Number(cacheRead), Number(output ?? 0)];
  });
  expect(found).toEqual(cases.map(([...fields]) => fields.slice(0, 6)));
  expect(cases).toHaveLength(336);
});
