import { type Decimal, parseDecimal } from '../lib/money.ts';
import { type TermName, type Terms, termNames, type UnitName, unitNames } from '../lib/units.ts';
import type { MatchLogic } from './catalogue-data.ts';
import { rateOfNumber, readTieredRates, type TieredRates } from './catalogue-entry.ts';
import { rankMatch } from './catalogue-match.ts';
import type { ListedUnitPrice } from './further-list.ts';
import type { PriceSource, UnitRate } from './rates.ts';
import type { Supplement } from './supplement-data.ts';

/** A supplement, prepared for lookups. */
export type OpenedSupplement = {
  readonly match: MatchLogic | undefined;
  /** Milliseconds since 1970: from `fromMs` to before `untilMs`. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** For each term, the values with which it holds, in lower case. */
  readonly when: ReadonlyMap<TermName, ReadonlySet<string>>;
  /** Its own price list of tokens, or its factor on token prices; at most one of both. */
  readonly prices: TieredRates | null;
  readonly factor: Decimal | null;
  readonly units: ReadonlyMap<UnitName, UnitRate>;
  readonly source: PriceSource;
};

export function openSupplement(supplement: Supplement): OpenedSupplement {
  const { match, from, until, when = {}, tokens, units = {}, source: page, checkedOn } = supplement;
  return {
    match,
    fromMs: from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from),
    untilMs: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until),
    when: new Map(
      termNames.flatMap((name) => {
        const values = when[name]?.map((value) => value.toLowerCase());
        return values === undefined ? [] : [[name, new Set(values)] as const];
      }),
    ),
    prices: tokens !== undefined && 'prices' in tokens ? readTieredRates(tokens.prices) : null,
    factor: tokens !== undefined && 'factor' in tokens ? parseDecimal(tokens.factor) : null,
    units: new Map(
      unitNames.flatMap((name) => {
        const price = units[name];
        return price === undefined ? [] : [[name, toUnitRate(price)] as const];
      }),
    ),
    source: { kind: 'supplement', page, checkedOn },
  };
}

/** Removes powers of ten from `per`: 5 dollars for 1,000 become 0.005 for one. */
export function toUnitRate({ usd, per }: ListedUnitPrice): UnitRate {
  let tens = 1;
  while (per % (tens * 10) === 0) tens *= 10;
  return { usd: rateOfNumber(usd, tens), per: per / tens };
}

/** The supplements that match one of `names`, the spellings of one name; most specific first. */
export function matchSupplements(
  supplements: readonly OpenedSupplement[],
  names: readonly string[],
): readonly OpenedSupplement[] {
  return supplements
    .flatMap((supplement) => {
      const rank = rankModel(supplement, names);
      return rank === null ? [] : [{ supplement, rank }];
    })
    .toSorted(
      (a, b) =>
        b.supplement.when.size - a.supplement.when.size ||
        compare(b.rank, a.rank) ||
        compare(b.supplement.fromMs, a.supplement.fromMs),
    )
    .map(({ supplement }) => supplement);
}

/** How specifically the supplement names the model; null when it is for other models. */
function rankModel({ match }: OpenedSupplement, names: readonly string[]): number | null {
  if (match === undefined) return 0;
  const ranks = names.flatMap((name) => rankMatch(match, name) ?? []);
  return ranks.length === 0 ? null : Math.max(...ranks);
}

/** Compares infinite numbers too, whose difference would be NaN. */
const compare = (a: number, b: number): number => (a === b ? 0 : a - b);

export const holdsAt = ({ fromMs, untilMs }: OpenedSupplement, timeMs: number): boolean =>
  timeMs >= fromMs && timeMs < untilMs;

/** Whether the call names every term of `when`. `terms` are in lower case. */
export const holdsWith = ({ when }: OpenedSupplement, terms: Terms): boolean =>
  when.entries().every(([name, values]) => values.has(terms[name] ?? ''));
