import { dayMs } from '../lib/days.ts';
import type { UnitName } from '../lib/units.ts';
import type { CataloguePrices } from './catalogue-data.ts';

/** The further lists, in the order in which a price is looked for (D27.1). */
export const furtherListNames = ['llm-zoo', 'litellm', 'models.dev', 'pi-catalog'] as const;

export type FurtherListName = (typeof furtherListNames)[number];

/** US dollars for `per` of a unit. */
export type ListedUnitPrice = { readonly usd: number; readonly per: number };

/** A model's prices on a further list. A model without prices of tokens is sold by units alone. */
export type FurtherEntry = readonly [
  /** As the list writes it. */
  seller: string,
  /** As the list writes it, without the seller's prefix. */
  model: string,
  tokens: CataloguePrices | null,
  units?: Readonly<Partial<Record<UnitName, ListedUnitPrice>>>,
];

/** A public price list that nobody here reviewed. It prices what the catalogue and its corrections don't know. */
export type FurtherList = {
  readonly list: FurtherListName;
  /** Of the list: a release, or the day of its data. */
  readonly version: string;
  /** The day of its data, YYYY-MM-DD. */
  readonly date: string;
  readonly entries: readonly FurtherEntry[];
};

/** The whole days since the day of a list's data. */
export const ageOfList = (date: string, now: number): number =>
  Math.max(0, Math.floor((now - Date.parse(date)) / dayMs));

/** A list of more days is old. */
export const oldListDays = 45;
