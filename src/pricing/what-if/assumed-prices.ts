import { parseJson } from '../../lib/json.ts';
import { type Decimal, parseDecimal } from '../../lib/money.ts';
import type { Usage } from '../../lib/usage-buckets.ts';
import { isAssumedPart } from '../assumed-rates.ts';
import { type CallCost, type CostedCall, calcCost, type SummedUp } from '../cost.ts';
import type { NewOverride, PriceOverride } from '../overrides.ts';
import type { OpenedBook } from '../price-book.ts';

/** What a what-if assumes about prices and calls (D22). Parts without an assumption are empty or null. */
export type Assumption = {
  /** The models that replace those of calls, by the names in the calls. */
  readonly models: ReadonlyMap<string, string>;
  /** They count as newer than those of the project; the last one is the newest. */
  readonly overrides: readonly NewOverride[];
  /** The share of the input tokens that is read from the cache: decimal text from 0 to 1. */
  readonly cachedShare: string | null;
  /** In lower case, as terms are. */
  readonly serviceTier: string | null;
};

/** Stores `models` as pairs, because an object would lose the key `__proto__`. */
type StoredAssumption = Omit<Assumption, 'models'> & { readonly models: readonly (readonly [string, string])[] };

export const writeAssumption = (assumption: Assumption): string =>
  JSON.stringify({ ...assumption, models: [...assumption.models] } satisfies StoredAssumption);

export function readAssumption(text: string): Assumption {
  const stored = parseJson(text) as StoredAssumption;
  return { ...stored, models: new Map(stored.models) };
}

export type AssumedPrices = Pick<Assumption, 'models' | 'serviceTier'> & {
  readonly book: OpenedBook;
  readonly cachedShare: Decimal | null;
};

/** `isUnchanged`: the assumption applies to the call, but the call keeps its current cost. `priced`: the call as it is priced. */
export type AssumedCost = { readonly cost: CallCost; readonly isUnchanged: boolean; readonly priced: CostedCall };

/** The assumed gross cost of a call (D22). The README of this folder has the rules. Never throws. */
export function calcAssumedCost(call: CostedCall, prices: AssumedPrices): AssumedCost {
  const { book, serviceTier } = prices;
  const assumed = assume(call, prices);
  if (assumed === call) {
    const cost = calcCost(call, book);
    return { cost, isUnchanged: cost.source === 'reported' && hasAssumedOverride(call, book), priced: call };
  }
  const cost = assumed.model === call.model ? calcCost(assumed, book) : calcOfSeller(assumed, call, book);
  const asAssumed = { cost, isUnchanged: false, priced: assumed };
  if (isPriced(cost) && cost.partlyPriced.length === 0) return asAssumed;
  const plain = calcCost(call, book);
  const isKept = plain.source === 'none' || plain.source === 'gateway_cache';
  if (!isKept && isCoveredBy(cost, plain, serviceTier)) return asAssumed;
  return { cost: plain, isUnchanged: !isKept, priced: call };
}

/** The calls whose prices `calcAssumedCost` compares. */
export function listCompared(call: CostedCall, prices: AssumedPrices): readonly CostedCall[] {
  const assumed = assume(call, prices);
  if (assumed === call) return [call];
  return [call, assumed, ...(assumed.model === call.model ? [] : [{ ...assumed, provider: '' }])];
}

/** The call as the assumption changes it; the same object when the assumption does not apply to it. */
function assume(call: CostedCall, { models, serviceTier, cachedShare }: AssumedPrices): CostedCall {
  const model = models.get(call.model);
  if (model === undefined && cachedShare === null && serviceTier === null) return call;
  const { usage } = call;
  return {
    ...call,
    // The assumed model does the work that others did.
    ...(model !== undefined && { model, others: call.others?.filter(({ isPart }) => !isPart) }),
    usage: usage === null || cachedShare === null ? usage : shareCached(usage, cachedShare, call.summed),
    ...(serviceTier !== null && { terms: { ...call.terms, service_tier: serviceTier } }),
  };
}

/** Makes `cacheRead` this share of the prompt's text tokens, rounded down to whole tokens. Their sum stays. */
function shareCached(usage: Usage, { mantissa, scale }: Decimal, summed: SummedUp | undefined): Usage {
  const tokens = usage.input + usage.cacheRead;
  if (!Number.isSafeInteger(tokens)) return usage;
  const cacheRead = summed?.cachedTokens ?? Number((BigInt(tokens) * mantissa) / 10n ** BigInt(scale));
  return { ...usage, input: tokens - cacheRead, cacheRead };
}

/** The cost with another model, at the call's own provider if it sells the model, else at the model's maker. */
function calcOfSeller(assumed: CostedCall, call: CostedCall, book: OpenedBook): CallCost {
  const own = calcCost(assumed, book);
  const cost = isPriced(own) || call.provider === '' ? own : calcCost({ ...assumed, provider: '' }, book);
  return { ...cost, provider: call.provider === '' ? book.catalogue.deriveProvider(call.model) : call.provider };
}

const isPriced = ({ source }: CallCost): boolean => ['catalogue', 'override', 'further_list'].includes(source);

/** Whether the assumed cost has a price for everything that has one in the plain cost, and for the assumed tier. */
function isCoveredBy(assumed: CallCost, plain: CallCost, serviceTier: string | null): boolean {
  if (!isPriced(assumed) || (serviceTier !== null && assumed.partlyPriced.includes('service_tier'))) return false;
  const isMissingAlready = (name: CallCost['partlyPriced'][number]) =>
    plain.partlyPriced.includes(name) || isAssumedPart(name);
  return plain.source === 'unpriced' || (isPriced(plain) && assumed.partlyPriced.every(isMissingAlready));
}

const assumedId = 'assumed_';

function hasAssumedOverride(call: CostedCall, book: OpenedBook): boolean {
  const provider = call.provider === '' ? book.catalogue.deriveProvider(call.model) : call.provider;
  return book.findOverride({ ...call, provider, inputTokens: 0 })?.override.id.startsWith(assumedId) ?? false;
}

/** The book with the assumed overrides, which count as newer than its own. */
export function assumeOverrides({ overrides }: Pick<Assumption, 'overrides'>, book: OpenedBook): OpenedBook {
  if (overrides.length === 0) return book;
  const oldest = Number.MAX_SAFE_INTEGER - overrides.length;
  return book.withOverrides(
    overrides.map(
      (override, index): PriceOverride => ({
        ...override,
        id: `${assumedId}${index}`,
        createdAt: oldest + index,
      }),
    ),
  );
}

export function assumePrices(assumption: Assumption, book: OpenedBook): AssumedPrices {
  const { models, serviceTier, cachedShare } = assumption;
  return {
    models,
    serviceTier,
    cachedShare: cachedShare === null ? null : parseDecimal(cachedShare),
    book: assumeOverrides(assumption, book),
  };
}
