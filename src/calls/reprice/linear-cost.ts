import type { UnitName } from '../../lib/units.ts';
import { bucketNames, type UsageBucket, usageBuckets } from '../../lib/usage-buckets.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { AlikeClass } from './classes.ts';

/** What of a call its cost is a multiple of, besides its units: its own counts, and its tokens read from the cache as assumed. */
type Counted = UsageBucket | 'cached' | 'requests';

const countOf = (name: Counted): string =>
  name === 'cached' ? 'cached' : name === 'requests' ? 'requests' : `${bucketNames[name]}_tokens`;

const kinds = ['none', 'own', 'elsewhere'] as const satisfies readonly AlikeClass['kept'][];

/** Rates whose sum is below this fit 64 bits with the most tokens that a call can have: 2 × 10⁹ in each of two buckets. */
const narrowRates = 2_000_000_000n;

/** The picodollars for one of each count of a class. */
function ratesOf({ linear: { perToken, perRequest }, sharesCache }: AlikeClass): Partial<Record<Counted, bigint>> {
  const rates = { ...perToken, requests: perRequest };
  if (!sharesCache) return rates;
  // All of the prompt's text has the rate of input; what is read from the cache has the difference besides.
  const input = perToken.input ?? 0n;
  return { ...rates, input, cacheRead: input, cached: (perToken.cacheRead ?? 0n) - input };
}

/** The largest of rates, whatever their signs. */
function largestOf(rates: readonly bigint[]): bigint {
  let largest = 0n;
  for (const rate of rates) {
    const size = rate < 0n ? -rate : rate;
    if (size > largest) largest = size;
  }
  return largest;
}

/** An amount of picodollars as the store holds money. */
export const toMoney = (picodollars: string): string => `(${picodollars}) * toDecimal128('0.000000000001', 12)`;

/** A column of a table that is joined by its first one. */
export interface RateColumn {
  readonly name: string;
  readonly type: string;
  readonly values: readonly (bigint | number | string | readonly bigint[] | readonly string[])[];
}

/** A table of these columns, as a subquery. */
export const ratesTable = (columns: readonly RateColumn[]): Clause => ({
  sql: `(SELECT ${columns.map(({ name }, index) => `rate.${index + 1} AS ${name}`).join(', ')}
    FROM (SELECT arrayJoin(arrayZip(${columns.map(({ name, type }) => `{${name}:Array(${type})}`).join(', ')})) AS rate))`,
  parameters: Object.fromEntries(columns.map(({ name, values }) => [name, values])),
});

/**
 * The new cost of calls, where rows of `calls` with their `key` and `cached` tokens are joined with a table of `columns`
 * by the key: of `each`, or of the `sum` of those with one key, whose `units` are the sums of their counts. A call of no
 * class keeps its cost.
 */
export function linearCost(
  classes: ReadonlyMap<string, AlikeClass>,
  of: 'each' | 'sum',
): {
  readonly columns: readonly RateColumn[];
  readonly counts: readonly string[];
  readonly hasUnits: boolean;
  readonly cost: string;
} {
  const listed = [...classes];
  const rates = listed.map(([, ofClass]) => ratesOf(ofClass));
  const names = [...usageBuckets, 'cached', 'requests'] as const;
  const used = names.filter((name) => rates.some((ofClass) => (ofClass[name] ?? 0n) !== 0n));
  const hasUnits = listed.some(([, { unitNames }]) => unitNames.length > 0);
  const tokens = used.filter((name) => name !== 'requests');
  const widest = tokens.reduce((sum, name) => sum + largestOf(rates.map((one) => one[name] ?? 0n)), 0n);
  const isNarrow = of === 'each' && widest < narrowRates;
  const typeOf = (name: Counted) => (isNarrow && name !== 'requests' ? 'Int64' : 'Int128');
  const columns: RateColumn[] = [
    { name: 'rate_key', type: 'UInt64', values: listed.map(([key]) => BigInt(key)) },
    { name: 'kept', type: 'UInt8', values: listed.map(([, { kept }]) => 1 + kinds.indexOf(kept)) },
    ...used.map((name) => ({
      name: `rate_${countOf(name)}`,
      type: typeOf(name),
      values: rates.map((one) => one[name] ?? 0n),
    })),
    ...(hasUnits
      ? [
          { name: 'unit_scale', type: 'Int64', values: listed.map(([, { digits }]) => 10n ** BigInt(digits)) },
          {
            name: 'unit_rates',
            type: 'Array(Int128)',
            values: listed.map(([, { unitNames, linear }]) =>
              unitNames.map((unit) => linear.perUnit[unit as UnitName] ?? 0n),
            ),
          },
        ]
      : []),
  ];
  const product = (name: Counted) => `rate_${countOf(name)} * to${typeOf(name)}(${countOf(name)})`;
  const counted = [
    ...(tokens.length > 0 ? [`toInt128(${tokens.map(product).join(' + ')})`] : []),
    ...(used.includes('requests') ? [product('requests')] : []),
    ...(hasUnits
      ? [
          `arraySum((count, price) -> toInt128(count * unit_scale) * price, ${of === 'each' ? 'mapValues(units)' : 'units'}, arrayResize(unit_rates, length(units)))`,
        ]
      : []),
  ];
  return {
    columns,
    counts: used.map(countOf),
    hasUnits,
    cost: `multiIf(kept = 1, ${toMoney(counted.join(' + ') || 'toInt128(0)')}, kept = 3, assumeNotNull(cost_elsewhere), cost)`,
  };
}
