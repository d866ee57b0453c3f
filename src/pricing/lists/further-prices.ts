import type { UnitName } from '../../lib/units.ts';
import { type CatalogueEntry, readFurtherEntry } from '../catalogue-entry.ts';
import { type OpenedSupplement, toUnitRate } from '../opened-supplement.ts';
import type { FurtherEntry, FurtherList } from './further-list.ts';
import { sellerOf } from './sellers.ts';

/** What a further list says of a model. */
export interface FurtherPrice {
  /** The prices of tokens; null when the model is sold by units alone. */
  readonly entry: CatalogueEntry | null;
  /** The prices of units; null when there are none. */
  readonly units: OpenedSupplement | null;
  /** The later lists whose price of input or output differs by more than 1 %. */
  readonly disagreeing: readonly DisagreeingPrice[];
}

/** US dollars per million tokens on another list; null without a price. */
export interface DisagreeingPrice {
  readonly list: string;
  readonly version: string;
  readonly input: number | null;
  readonly output: number | null;
}

/** Names of models that only their makers sell, and whose makers the catalogue lacks. */
const makers: readonly (readonly [name: RegExp, seller: string])[] = [
  [
    /^qwen(?:\d+(?:\.\d+)?)?-(?:max|plus|turbo|flash|long|coder-plus|coder-flash|vl-max|vl-plus|omni-flash)(?:-|$)/,
    'alibaba',
  ],
  [/^muse-(?:spark|wonder|glimmer|voice)/, 'meta'],
];

type Found = { readonly entry: FurtherEntry; readonly list: FurtherList };

/** The prices of further lists, by seller and model. The first list that has a model counts. */
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
    if (others === undefined) models.set(model, [{ entry, list }]);
    else others.push({ entry, list });
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

function findDisagreeing([first, ...others]: readonly [Found, ...Found[]]): DisagreeingPrice[] {
  const [input, output] = pricesOf(first);
  return others.flatMap((other) => {
    const [otherInput, otherOutput] = pricesOf(other);
    if (!differs(input, otherInput) && !differs(output, otherOutput)) return [];
    return [{ list: other.list.list, version: other.list.version, input: otherInput, output: otherOutput }];
  });
}

const pricesOf = ({ entry: [, , tokens] }: Found) =>
  (['input_mtok', 'output_mtok'] as const).map((name) => {
    const price = tokens?.[name];
    return typeof price === 'object' ? price.base : (price ?? null);
  }) as [input: number | null, output: number | null];

/** Whether two prices differ by more than 1 % of the first. A price that one list lacks is no difference. */
const differs = (price: number | null, other: number | null): boolean =>
  price !== null && other !== null && Math.abs(other - price) > price / 100;

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
