import type { UnitName } from '../lib/units.ts';
import type { CataloguePrices } from './catalogue-data.ts';
import { type CatalogueEntry, readFurtherEntry } from './catalogue-entry.ts';
import type { FurtherEntry, FurtherList } from './further-list.ts';
import { type OpenedSupplement, toUnitRate } from './opened-supplement.ts';
import { sellerOf } from './sellers.ts';

export interface FurtherPrice {
  /** The prices of tokens; null when the model is sold by units alone. */
  readonly entry: CatalogueEntry | null;
  /** The prices of units; null when there are none. */
  readonly units: OpenedSupplement | null;
  /** The other lists that have a price which differs by more than 1 %. */
  readonly disagreeing: readonly DisagreeingPrice[];
}

/** US dollars per million tokens on another list; null without a price. */
export interface DisagreeingPrice {
  readonly list: string;
  readonly version: string;
  readonly input: number | null;
  readonly output: number | null;
  /** The prices that differ, such as `input`, `cache_read`, `input_above_32000`. */
  readonly prices: readonly string[];
}

/** Names of models that only their makers sell, and whose makers the catalogue lacks. */
const makers: readonly (readonly [name: RegExp, seller: string])[] = [
  [
    /^qwen(?:\d+(?:\.\d+)?)?-(?:max|plus|turbo|flash|long|coder-plus|coder-flash|vl-max|vl-plus|omni-flash)(?:-|$)/,
    'alibaba',
  ],
  [/^muse-(?:spark|wonder|glimmer|voice)/, 'meta'],
  [/^(?:jamba-|j2-)/, 'ai21'],
  [/^jina-(?:embeddings|reranker|clip|colbert)-/, 'jina-ai'],
  [/^rerank-(?:v\d|english|multilingual)/, 'cohere'],
  [/^(?:text-(?:multilingual-)?embedding-(?:0|large-exp|preview)|multimodalembedding|text-unicorn)/, 'google'],
];

type Found = { readonly entry: FurtherEntry; readonly list: FurtherList };

/** By seller and model: of the lists that have it, the first that knows most of tiers and cached tokens counts. */
export class FurtherPrices {
  readonly lists: readonly FurtherList[];
  /** By the seller's one name, then by the model's name in lower case. */
  readonly #bySeller = new Map<string, Map<string, [Found, ...Found[]]>>();

  constructor(lists: readonly FurtherList[]) {
    this.lists = lists;
    for (const list of lists) for (const entry of list.entries) this.#add(list, entry);
  }

  #add(list: FurtherList, entry: FurtherEntry): void {
    const seller = sellerOf(entry[0]);
    let models = this.#bySeller.get(seller);
    if (models === undefined) {
      models = new Map();
      this.#bySeller.set(seller, models);
    }
    const model = entry[1].toLowerCase();
    const others = models.get(model);
    const found = { entry, list };
    if (others === undefined) models.set(model, [found]);
    else if (knowsMore(found, others)) others.unshift(found);
    else others.push(found);
  }

  /** Whether a list has models of the seller, by its one name. */
  knows(seller: string): boolean {
    return this.#bySeller.has(seller);
  }

  /** The maker that sells the model under its own name, if one of few does; the empty string otherwise. */
  findMaker(name: string): string {
    const maker = makers.find(([pattern]) => pattern.test(name))?.[1];
    return maker !== undefined && this.knows(maker) ? maker : '';
  }

  /** The prices of the first of `names` that a list has; names in lower case. */
  find(seller: string, names: Iterable<string>): FurtherPrice | null {
    const models = this.#bySeller.get(seller);
    if (models === undefined) return null;
    for (const name of names) {
      const found = models.get(name);
      if (found !== undefined) return { ...read(found[0]), disagreeing: findDisagreeing(found) };
    }
    return null;
  }
}

/** An older edition of a list never replaces what a newer one says, and prices of units are on one list alone. */
function knowsMore({ entry, list }: Found, others: readonly [Found, ...Found[]]): boolean {
  const [{ entry: first }] = others;
  if (first[3] !== undefined || others.some((other) => other.list.list === list.list)) return false;
  const [[tiers, cached], [knownTiers, knownCached]] = [knowledgeOf(entry[2]), knowledgeOf(first[2])];
  return first[2] !== null && (tiers > knownTiers || (tiers === knownTiers && cached > knownCached));
}

/** The number of a model's tiers, and whether it has a price of cached tokens. */
const knowledgeOf = (prices: CataloguePrices | null): readonly [tiers: number, cached: number] => [
  startsOf(prices).size,
  Number(prices !== null && 'cache_read_mtok' in prices),
];

/** The sizes of prompts above which other prices hold. */
const startsOf = (prices: CataloguePrices | null): Set<number> =>
  new Set(
    Object.values(prices ?? {}).flatMap((price) =>
      typeof price === 'number' ? [] : price.tiers.map(({ start }) => start),
    ),
  );

function findDisagreeing([first, ...others]: readonly [Found, ...Found[]]): DisagreeingPrice[] {
  return others.flatMap(({ entry: [, , tokens], list: { list, version } }) => {
    const prices = namesOfOther(first.entry[2] ?? {}, tokens ?? {});
    const [input, output] = ['input_mtok', 'output_mtok'].map((name) => priceAt(tokens?.[name], 0));
    return prices.length === 0 ? [] : [{ list, version, input: input ?? null, output: output ?? null, prices }];
  });
}

/** The names of the prices that differ in any tier of either list. A price that one list lacks is no difference. */
function namesOfOther(prices: CataloguePrices, others: CataloguePrices): string[] {
  const starts = [0, ...[...startsOf(prices).union(startsOf(others))].sort((a, b) => a - b)];
  return Object.keys(prices).flatMap((name) =>
    starts
      .filter((start) => differs(priceAt(prices[name], start), priceAt(others[name], start)))
      .map((start) => `${name.replace(/_mtok$/, '')}${start === 0 ? '' : `_above_${start}`}`),
  );
}

/** The price above a size of the prompt. */
function priceAt(price: CataloguePrices[string] | undefined, start: number): number | undefined {
  if (typeof price !== 'object') return price;
  return price.tiers.findLast((tier) => tier.start <= start && start > 0)?.price ?? price.base;
}

/** Whether two prices differ by more than 1 % of the first. */
const differs = (price: number | undefined, other: number | undefined): boolean =>
  price !== undefined && other !== undefined && Math.abs(other - price) > price / 100;

function read({ entry, list: { list: name, version } }: Found): Omit<FurtherPrice, 'disagreeing'> {
  const [provider, model, , units] = entry;
  return {
    entry: readFurtherEntry(entry, { name, version }),
    units:
      units === undefined
        ? null
        : {
            match: { equals: model },
            fromMs: Number.NEGATIVE_INFINITY,
            untilMs: Number.POSITIVE_INFINITY,
            when: new Map(),
            prices: null,
            factor: null,
            units: new Map(Object.entries(units).map(([unit, price]) => [unit as UnitName, toUnitRate(price)])),
            source: { kind: 'further_list', list: name, version, provider, entry: model },
          },
  };
}
