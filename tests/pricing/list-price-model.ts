// What a call costs at list prices, reckoned from the raw price data in fractions: a second reading of D5.2 and D26.2, apart from the
// code under test. Money is in whole picodollars.
import { z } from 'zod';
import { type TermName, type Terms, type UnitName, type Units, unitNames } from '../../src/lib/units.ts';
import { type Usage, type UsageBucket, usageBuckets } from '../../src/lib/usage-buckets.ts';
import type { CataloguePrices, MatchLogic, PriceConstraint } from '../../src/pricing/catalogue-data.ts';
import type { Supplement } from '../../src/pricing/supplement-data.ts';

type Fraction = { readonly n: bigint; readonly d: bigint };
type Prices = CataloguePrices;
type RawModel = { readonly prices: Prices | readonly { constraint?: PriceConstraint | undefined; prices: Prices }[] };

export type ModelledCall = {
  /** The raw entry; null when the catalogue has none. */
  readonly entry: RawModel | null;
  readonly provider: string;
  /** The spellings of the model's name. */
  readonly names: readonly string[];
  /** All supplements of the provider. */
  readonly supplements: readonly Supplement[];
  readonly time: number;
  readonly usage: Usage | null;
  readonly units: Units;
  readonly terms: Terms;
};

/** Null when the call is unpriced. */
export type ModelledCost = { readonly cost: bigint; readonly partlyPriced: readonly string[] } | null;

/** The names of the prices of a bucket, the nearest first. */
const priceNames: Readonly<Record<UsageBucket, readonly string[]>> = {
  input: ['input'],
  cacheRead: ['cache_read', 'input'],
  cacheWrite: ['cache_write', 'input'],
  cacheWrite1h: ['cache_write_1h', 'cache_write', 'input'],
  inputAudio: ['input_audio', 'input'],
  cacheReadAudio: ['cache_audio_read', 'cache_read', 'input_audio', 'input'],
  inputImage: ['input_image', 'input'],
  cacheReadImage: ['cache_image_read', 'cache_read', 'input_image', 'input'],
  inputVideo: ['input_video', 'input'],
  output: ['output'],
  reasoning: ['output_reasoning', 'output'],
  outputAudio: ['output_audio', 'output'],
  outputImage: ['output_image', 'output'],
  outputVideo: ['output_video', 'output'],
};
/** The catalogue's prices of what a model reads beside tokens, by unit: the name, and how much of the unit it is for. */
const unitPriceNames: Readonly<Partial<Record<UnitName, readonly (readonly [name: string, per: bigint])[]>>> = {
  characters: [['input_mchars', 1_000_000n]],
  audio_seconds: [
    ['input_audio_hours', 3_600n],
    ['audio_hours', 3_600n],
  ],
  pages: [['input_document_kpages', 1_000n]],
  annotated_pages: [['input_annotated_document_kpages', 1_000n]],
};
const promptBuckets = usageBuckets.filter((bucket) => /^(?:input|cache)/.test(bucket));

export function modelCost(call: ModelledCall): ModelledCost {
  const { usage, units, terms, time } = call;
  const used = usageBuckets.filter((bucket) => usage !== null && usage[bucket] > 0);
  const named = unitNames.filter((unit) => units[unit] !== undefined);
  if (usage === null && named.length === 0) return { cost: 0n, partlyPriced: [] };

  const ofModel = call.supplements.filter((supplement) => isOf(supplement, call.names) && isInForce(supplement, time));
  const holding = ofModel.filter((supplement) => meets(supplement, terms));
  const best = (some: readonly (Supplement | undefined)[]) => mostSpecific(some, call.names);

  const withTokens = holding.filter(({ tokens }) => tokens !== undefined);
  const sets = new Set(withTokens.map(conditionsOf));
  const chosen = [...sets].map((set) => best(withTokens.filter((one) => conditionsOf(one) === set)));
  const list = best(chosen.filter((one) => one?.tokens !== undefined && 'prices' in one.tokens));
  const covered = new Set(list ? termsOf(list) : []);
  const factors = chosen.flatMap((one) =>
    one?.tokens === undefined || 'prices' in one.tokens || (list && termsOf(one).every((name) => covered.has(name)))
      ? []
      : [{ when: one.when, factor: fraction(one.tokens.factor) }],
  );
  const unpriced = holding.filter(({ tokens, units: own }) => tokens === undefined && own === undefined);
  const ordinary = new Set([...unpriced, ...factors.filter(({ factor }) => isOne(factor))].flatMap(termsOf));
  const known = new Set([...covered, ...ordinary, ...factors.flatMap(termsOf)]);
  const rateTerms = (['service_tier', 'speed', 'geo'] as const).filter((name) => terms[name] !== undefined);
  const factor = factors.reduce((product, one) => times(product, one.factor), fraction('1'));

  const listTokens = list?.tokens;
  const prices = listTokens && 'prices' in listTokens ? listTokens.prices : call.entry && pricesAt(call.entry, time);
  const unknown = new Set<string>();
  let cost = 0n;
  if (prices === null && (used.length > 0 || named.length === 0)) return null;
  const prompt = promptBuckets.reduce((sum, bucket) => sum + (usage?.[bucket] ?? 0), 0);
  for (const bucket of used) {
    const lifetime = bucket === 'cacheWrite' && !known.has('cache_ttl') ? terms.cache_ttl?.toLowerCase() : undefined;
    if (lifetime !== undefined && !['5m', '1h'].includes(lifetime)) unknown.add('cache_ttl');
    const names = priceNames[lifetime === '1h' ? 'cacheWrite1h' : bucket].map((name) => `${name}_mtok`);
    const rate = prices && rateOf(prices, names, prompt);
    if (!rate) return null;
    cost += round(times(times(rate, factor), { n: BigInt(usage?.[bucket] ?? 0), d: 1_000_000n }));
    const lacks = (name: string) => prices[`${name}_mtok`] === undefined;
    if (rate.n === 0n) continue;
    if (lifetime === '1h' && lacks('cache_write_1h') && !lacks('cache_write')) unknown.add('cache_ttl');
    const told = lifetime === '1h' && !lacks('cache_write_1h') ? [] : assumedNames(bucket, lacks, call);
    for (const name of told) unknown.add(name);
  }
  if (used.length > 0) for (const name of rateTerms) if (!known.has(name)) unknown.add(name);

  let billed = used.length;
  const bill = (unit: UnitName, count: Fraction) => {
    const pricing = ofModel.filter(({ units: own }) => own?.[unit] !== undefined);
    const one = best(pricing.filter((supplement) => meets(supplement, terms)));
    const price = one?.units?.[unit];
    const thousand = unit === 'requests' && prices ? rateOf(prices, ['requests_kcount'], prompt, false) : null;
    const ofEntry = thousand && times(thousand, { n: 1n, d: 1_000n });
    const each =
      price === undefined
        ? (entryUnitRate(call, unit) ?? ofEntry)
        : times(fraction(price.usd), { n: 1n, d: BigInt(price.per) });
    if (each !== null) {
      cost += round(times(count, each));
      billed += 1;
      const named = one === undefined ? [] : termsOf(one);
      for (const name of [...pricing.flatMap(termsOf), ...(used.length === 0 ? rateTerms : [])]) {
        if (terms[name] !== undefined && !named.includes(name) && !ordinary.has(name)) unknown.add(name);
      }
    } else if (units[unit] !== undefined) unknown.add(unit);
  };
  for (const unit of unitNames) {
    const count = units[unit] ?? (unit === 'requests' ? 10n ** 12n : undefined);
    if (count !== undefined) bill(unit, { n: count, d: 10n ** 12n });
  }
  return billed === 0 && named.length > 0 ? null : { cost, partlyPriced: [...unknown].sort() };
}

/** The name of a bucket that has the price of a wider one, where its provider isn't known to charge that. */
function assumedNames(bucket: UsageBucket, lacks: (name: string) => boolean, call: ModelledCall): readonly string[] {
  const [own = '', wider] = priceNames[bucket];
  if (wider === undefined || bucket === 'reasoning' || !lacks(own)) return [];
  const seller = call.entry === null ? '' : call.provider;
  const isOf = (...sellers: readonly string[]) => sellers.includes(seller);
  const isCalled = (part: string) => call.names.some((name) => name.includes(part));
  const isUsual: Readonly<Partial<Record<UsageBucket, boolean>>> = {
    cacheWrite: isOf('openai', 'azure', 'deepseek', 'x-ai', 'groq', 'google'),
    inputAudio: isOf('google'),
    cacheReadAudio: isOf('google') && !lacks('cache_read') && lacks('input_audio'),
    inputImage: isOf('google', 'x-ai'),
    cacheReadImage: isOf('google', 'x-ai') && !lacks('cache_read') && lacks('input_image'),
    inputVideo: isOf('google', 'x-ai'),
    outputAudio: isCalled('-tts'),
    outputImage: isCalled('gpt-image-'),
  };
  if (isUsual[bucket]) return [];
  return [bucket.replace(/[A-Z0-9]+/g, (part) => `_${part.toLowerCase()}`)];
}

const termsOf = ({ when = {} }: Pick<Supplement, 'when'>) => (Object.keys(when) as TermName[]).sort();
const conditionsOf = (supplement: Supplement) => termsOf(supplement).join();

const meets = (supplement: Supplement, terms: Terms): boolean =>
  termsOf(supplement).every((name) =>
    (supplement.when?.[name] ?? []).some((value) => value.toLowerCase() === terms[name]?.toLowerCase()),
  );

function isInForce({ from, until }: Supplement, time: number): boolean {
  return (from === undefined || new Date(from).getTime() <= time) && !(until && new Date(until).getTime() <= time);
}

const isOf = ({ match }: Supplement, names: readonly string[]): boolean =>
  match === undefined || names.some((name) => rank(match, name) > 0);

/** 0 when the name doesn't match. */
function rank(logic: MatchLogic, name: string): number {
  const [kind = '', value] = Object.entries(logic)[0] ?? [];
  if (kind === 'or')
    return Math.max(
      0,
      ...z
        .array(z.custom<MatchLogic>())
        .parse(value)
        .map((part) => rank(part, name)),
    );
  if (kind === 'and') {
    const parts = z
      .array(z.custom<MatchLogic>())
      .parse(value)
      .map((part) => rank(part, name));
    return parts.includes(0) ? 0 : Math.max(...parts);
  }
  const text = String(value);
  const lower = text.toLowerCase();
  if (kind === 'equals') return name === lower ? 1e9 : 0;
  if (kind === 'regex') return name.search(new RegExp(text)) >= 0 ? 1e8 : 0;
  const place = kind === 'ends_with' ? name.lastIndexOf(lower) : name.indexOf(lower);
  const isThere = place >= 0 && (kind !== 'starts_with' || place === 0);
  return isThere && (kind !== 'ends_with' || place === name.length - lower.length) ? lower.length : 0;
}

/** The one with most terms, then the nearest match, then the latest start; the first of equals. */
function mostSpecific(some: readonly (Supplement | undefined)[], names: readonly string[]): Supplement | undefined {
  const merits = (supplement: Supplement) => [
    termsOf(supplement).length,
    supplement.match ? Math.max(...names.map((name) => rank(supplement.match as MatchLogic, name))) : 0,
    supplement.from === undefined ? -Number.MAX_VALUE : new Date(supplement.from).getTime(),
  ];
  let best: Supplement | undefined;
  for (const one of some) {
    if (one === undefined) continue;
    const [mine, others] = [merits(one), best ? merits(best) : []];
    const at = mine.findIndex((merit, index) => merit !== others[index]);
    if (best === undefined || (at >= 0 && (mine[at] ?? 0) > (others[at] ?? 0))) best = one;
  }
  return best;
}

function pricesAt({ prices }: RawModel, time: number): Prices {
  if (!Array.isArray(prices)) return prices as Prices;
  const instant = new Date(time).toISOString();
  const ofDay = instant.slice(11, 19);
  const holds = ({ start_date: start, start_time: from, end_time: to, weekdays }: PriceConstraint) =>
    (start === undefined || new Date(start).getTime() <= time) &&
    (weekdays === undefined || weekdays.includes(new Date(time).getUTCDay())) &&
    (from === undefined || to === undefined || isWithin(ofDay, from.slice(0, 8), to.slice(0, 8)));
  const [first] = prices;
  return (prices.findLast(({ constraint }) => constraint === undefined || holds(constraint)) ?? first).prices;
}

/** The catalogue's own price of one unit; a list without prices of tokens may have it. */
function entryUnitRate({ entry, time }: ModelledCall, unit: UnitName): Fraction | null {
  const prices = entry && pricesAt(entry, time);
  for (const [name, per] of unitPriceNames[unit] ?? []) {
    const price = prices?.[name];
    if (typeof price === 'number' && price > 0) return times(fraction(price), { n: 1n, d: per });
  }
  return null;
}

const isWithin = (text: string, from: string, to: string): boolean =>
  from <= to ? from <= text && text < to : from <= text || text < to;

/** The first price that the list has, for a prompt of this size. A list without any price is free. */
function rateOf(prices: Prices, names: readonly string[], prompt: number, isFreeWithoutAny = true): Fraction | null {
  if (isFreeWithoutAny && Object.keys(prices).length === 0) return fraction('0');
  const price = names.map((name) => prices[name]).find((found) => found !== undefined);
  if (price === undefined) return null;
  if (typeof price === 'number') return fraction(price);
  const reached = price.tiers.filter(({ start }) => prompt > start);
  return fraction(
    reached.reduce((top, tier) => (tier.start >= top.start ? tier : top), { start: -1, price: price.base }).price,
  );
}

/** The fraction of a decimal; of a double, that of its first 15 digits. */
function fraction(value: string | number): Fraction {
  const text = typeof value === 'number' ? Number(value.toPrecision(15)).toString() : value;
  const [digits = '', exponent = '0'] = text.split('e');
  const [whole = '', part = ''] = digits.split('.');
  const shift = part.length - Number(exponent);
  const n = BigInt(whole + part);
  return shift >= 0 ? { n, d: 10n ** BigInt(shift) } : { n: n * 10n ** BigInt(-shift), d: 1n };
}

const times = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.n, d: a.d * b.d });
const isOne = ({ n, d }: Fraction): boolean => n === d;

/** US dollars to picodollars, half to even. */
function round({ n, d }: Fraction): bigint {
  const scaled = n * 10n ** 12n;
  const [down, rest] = [scaled / d, scaled % d];
  if (rest * 2n < d) return down;
  if (rest * 2n > d) return down + 1n;
  return down + (down % 2n);
}
