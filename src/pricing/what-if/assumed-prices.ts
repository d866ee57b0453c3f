import { parseJson } from '../../lib/json.ts';
import { type Decimal, parseDecimal } from '../../lib/money.ts';
import type { Usage } from '../../lib/usage-buckets.ts';
import { type CallCost, type CostedCall, calcCost } from '../cost.ts';
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

/** The prices that a what-if assumes. */
export type AssumedPrices = Pick<Assumption, 'models' | 'serviceTier'> & {
  readonly book: OpenedBook;
  readonly cachedShare: Decimal | null;
};

/** `isUnchanged`: the assumption applies to the call, but the call keeps its current cost. */
export type AssumedCost = { readonly cost: CallCost; readonly isUnchanged: boolean };

/** The assumed gross cost of a call (D22). The README of this folder has the rules. Never throws. */
export function calcAssumedCost(call: CostedCall, prices: AssumedPrices): AssumedCost {
  const { book, serviceTier } = prices;
  const assumed = assume(call, prices);
  if (assumed === call) {
    const cost = calcCost(call, book);
    return { cost, isUnchanged: cost.source === 'reported' && hasAssumedOverride(call, book) };
  }
  const cost = assumed.model === call.model ? calcCost(assumed, book) : calcOfSeller(assumed, call, book);
  if (isPriced(cost) && cost.partlyPriced.length === 0) return { cost, isUnchanged: false };
  const plain = calcCost(call, book);
  if (plain.source === 'none' || plain.source === 'gateway_cache') return { cost: plain, isUnchanged: false };
  return isCoveredBy(cost, plain, serviceTier) ? { cost, isUnchanged: false } : { cost: plain, isUnchanged: true };
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
    usage: usage === null || cachedShare === null ? usage : shareCached(usage, cachedShare),
    ...(serviceTier !== null && { terms: { ...call.terms, service_tier: serviceTier } }),
  };
}

/** Makes `cacheRead` this share of the prompt's text tokens, rounded down to whole tokens. Their sum stays. */
function shareCached(usage: Usage, { mantissa, scale }: Decimal): Usage {
  const tokens = usage.input + usage.cacheRead;
  if (!Number.isSafeInteger(tokens)) return usage;
  const cacheRead = Number((BigInt(tokens) * mantissa) / 10n ** BigInt(scale));
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
  const isMissingAlready = (name: CallCost['partlyPriced'][number]) => plain.partlyPriced.includes(name);
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

/** The last assumption opened on each book. Each step of a rebuild and each batch of assembly needs it again. */
const opened = new WeakMap<OpenedBook, { readonly text: string; readonly prices: AssumedPrices }>();

/** Opens a stored assumption on a book. */
export function openAssumedPrices(text: string, book: OpenedBook): AssumedPrices {
  const known = opened.get(book);
  if (known?.text === text) return known.prices;
  const assumption = readAssumption(text);
  const { models, serviceTier, cachedShare } = assumption;
  const prices = {
    models,
    serviceTier,
    cachedShare: cachedShare === null ? null : parseDecimal(cachedShare),
    book: assumeOverrides(assumption, book),
  };
  opened.set(book, { text, prices });
  return prices;
}
