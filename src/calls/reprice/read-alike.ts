import type { Day, Period } from '../../lib/days.ts';
import { inputBuckets } from '../../lib/usage-buckets.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import { type AlikeRow, alikeColumns, alikeKey, equalColumns, type Seen } from './alike.ts';
import { type AlikeClass, addAlike, type EqualCalls, type Pricing, priceEqual, shareOf } from './classes.ts';
import { listTurns, type Turns } from './turns.ts';

/** Rows of `calls`, and by what they are priced. */
export interface CallsToPrice {
  readonly calls: Clause;
  readonly pricing: Pricing;
}

const withinMs = 30_000;

/** The turns of the prices of calls on these days; undefined without calls. */
export async function readTurns(
  store: AnalyticStore,
  { calls, pricing: { book, assumed } }: CallsToPrice,
  span: Period,
): Promise<Turns | undefined> {
  // A row that counts no more gives a turn too many, which does no harm.
  const found = await store.select<{ name: string; seller: string }>(
    `SELECT any(model) AS name, any(provider) AS seller FROM calls WHERE ${calls.sql} AND NOT is_deleted
      GROUP BY sipHash64(model) + 3 * sipHash64(provider)`,
    calls.parameters,
    withinMs,
  );
  if (found.length === 0) return undefined;
  const models = found.map(({ name: model, seller: provider }) => {
    const other = assumed?.models.get(model);
    return { model, provider, priced: other === undefined ? [model] : [model, other] };
  });
  return listTurns(models, assumed?.book ?? book.opened, { timezone: book.timezone, span });
}

/** Calls by classes of alike ones. */
export interface Classified extends CallsToPrice {
  readonly key: Clause;
  /** The classes whose costs add up. */
  readonly linear: ReadonlyMap<string, AlikeClass>;
  /** The others: each of their calls is priced by itself. */
  readonly apart: ReadonlyMap<string, AlikeClass>;
}

export async function readClasses(
  store: AnalyticStore,
  { calls, pricing }: CallsToPrice,
  turns: Turns,
): Promise<Classified> {
  const key = alikeKey(turns);
  let classes = new Map<string, AlikeClass>();
  const seen: Seen = {
    ...{ terms: false, units: false, costsElsewhere: false, otherUsage: false, gatewayCache: false },
    prompt: new Set(),
  };
  await store.selectEach<AlikeRow & { key: string; date: Day }>(
    `SELECT toString(day) AS date, ${key.sql} AS key, ${alikeColumns(shareOf(pricing), 'sum')}
      FROM calls FINAL WHERE ${calls.sql} GROUP BY day, key`,
    joinParameters(calls.parameters, key.parameters),
    () => {
      classes = new Map();
      return (row) => {
        addAlike(classes, row, pricing);
        for (const _ in row.terms_) seen.terms = true;
        seen.units ||= row.unit_names.length > 0;
        seen.costsElsewhere ||= row.elsewhere !== null;
        seen.otherUsage ||= row.other_usage_ !== '';
        seen.gatewayCache ||= row.is_cached === 1;
        for (const [index, bucket] of inputBuckets.entries()) if (row.tokens[index] !== '0') seen.prompt.add(bucket);
      };
    },
  );
  return {
    calls,
    pricing,
    key: alikeKey(turns, seen),
    linear: new Map([...classes].filter(([, { addsUp }]) => addsUp)),
    apart: new Map([...classes].filter(([, { addsUp }]) => !addsUp)),
  };
}

/** The condition for calls of the classes `apart`. */
export const inClasses = (classes: ReadonlyMap<string, AlikeClass>): Clause => ({
  sql: 'has({apart:Array(UInt64)}, key)',
  parameters: { apart: [...classes.keys()].map(BigInt) },
});

/** Prices the calls of the classes `apart`, equal ones of one `by` together. */
export async function readEqual(
  store: AnalyticStore,
  { calls, key, apart, pricing }: Classified,
  by: string,
): Promise<readonly { readonly by: string; readonly equal: EqualCalls }[]> {
  const ofApart = inClasses(apart);
  let found: { by: string; equal: EqualCalls }[] = [];
  await store.selectEach<AlikeRow & { by: string }>(
    `SELECT ${by} AS by, ${alikeColumns(null, 'any')}
      FROM (SELECT *, ${key.sql} AS key FROM calls FINAL WHERE ${calls.sql}) WHERE ${ofApart.sql} GROUP BY by, key, ${equalColumns}`,
    joinParameters(calls.parameters, key.parameters, ofApart.parameters),
    () => {
      found = [];
      return (row) => found.push({ by: row.by, equal: priceEqual(row, pricing) });
    },
  );
  return found;
}
