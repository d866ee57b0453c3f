import { describe, expect, it } from 'vitest';
import { type TermName, termNames } from '../../src/lib/units.ts';
import { installedCatalogue } from '../../src/pricing/catalogue.ts';
import { catalogueData } from '../../src/pricing/catalogue-data.ts';
import { rankMatch } from '../../src/pricing/catalogue-match.ts';
import type { Supplement } from '../../src/pricing/supplement-data.ts';
import { supplements } from './reviewed.ts';

const { providers } = catalogueData.parse(JSON.parse(installedCatalogue().data));
const modelsOf = (provider: string) =>
  providers.find(({ id }) => id === provider)?.models.map(({ id }) => id.toLowerCase()) ?? [];

const rankOf = ({ match }: Supplement, model: string) => (match === undefined ? 0 : rankMatch(match, model));

const namesOf = ({ when = {} }: Supplement) => termNames.filter((name) => when[name] !== undefined);

/** Whether calls at one time with the same terms can meet both. */
function canMeet(a: Supplement, b: Supplement): boolean {
  const shares = (name: TermName) => a.when?.[name]?.some((value) => b.when?.[name]?.includes(value)) ?? false;
  const isApart = (first: Supplement, second: Supplement) =>
    first.until !== undefined && (second.from ?? '') >= first.until;
  return namesOf(a).join() === namesOf(b).join() && namesOf(a).every(shares) && !isApart(a, b) && !isApart(b, a);
}

/** What both set a price of. */
function pricedByBoth(a: Supplement, b: Supplement): string[] {
  const units = Object.keys(a.units ?? {}).filter((unit) => unit in (b.units ?? {}));
  return a.tokens !== undefined && b.tokens !== undefined ? ['tokens', ...units] : units;
}

describe('prices of units and terms (D26.2)', () => {
  it('never tie for a model, so that their order decides nothing', () => {
    const ties = supplements.flatMap((a, index) =>
      supplements.slice(index + 1).flatMap((b) => {
        const shared = pricedByBoth(a, b);
        if (shared.length === 0 || a.from !== b.from || !canMeet(a, b)) return [];
        return a.providers
          .filter((provider) => b.providers.includes(provider))
          .flatMap((provider) => modelsOf(provider))
          .filter((model) => rankOf(a, model) !== null && rankOf(a, model) === rankOf(b, model))
          .map((model) => `${model}: ${shared.join()}`);
      }),
    );
    expect(ties).toEqual([]);
  });
});
