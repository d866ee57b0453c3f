import { byName } from '../../lib/by-name.ts';
import { callDimensions, type Dimension, dimensionNames } from '../../lib/dimensions.ts';
import { type CellKey, type CellTable, cellTables } from '../../storage/analytic/tables/rollups.ts';

/**
 * The grains: combinations of dimensions by which the calls of a day are rolled up. Narrow grains make answers cheap. A
 * combination has a grain if its use is worth its rows. Queries by other combinations read the calls.
 */
export const grains = {
  total: [],
  ...byName(dimensionNames, (name) => [name]),
  customer_feature: ['customer', 'feature'],
  user_feature: ['user', 'feature'],
  price: ['provider', 'model'],
  customer_price: ['customer', 'provider', 'model'],
  feature_price: ['feature', 'provider', 'model'],
  tag: ['tag'],
  tag_customer: ['customer', 'tag'],
  tag_price: ['provider', 'model', 'tag'],
} as const satisfies Record<string, readonly CellDimension[]>;

export type Grain = keyof typeof grains;

/** What cells are by: a dimension, or a tag of the calls that the project names as one. */
export type CellDimension = Dimension | 'tag';

export const grainNames = Object.keys(grains) as Grain[];

/** The grain of rows that say that a seal has the cells of a tag. */
export const sealedTag = 'sealed';

export const dimensionsOf = (grain: Grain): readonly CellDimension[] => grains[grain];

/** Grains with feature runs (D6.7): one with several days, customers, models or providers is in several cells. */
const runGrains = ['total', ...callDimensions, 'customer_feature', 'tag', 'tag_customer'] as const satisfies Grain[];

export type RunGrain = (typeof runGrains)[number];

export const isRunGrain = (grain: Grain): grain is RunGrain => (runGrains as readonly Grain[]).includes(grain);

/** Whether a grain's cells are by a tag, each of one key. */
export const isOfTags = (grain: Grain): boolean => dimensionsOf(grain).includes('tag');

export function tablesOf(grain: Grain): readonly CellTable[] {
  const isIn = (table: CellTable) => {
    const names: readonly CellKey[] = cellTables[table];
    return dimensionsOf(grain).every((name) => names.includes(name));
  };
  if (isOfTags(grain)) return ['tag_cells'];
  if (isIn('narrow_cells')) return ['narrow_cells'];
  return isIn('customer_cells') ? ['cells', 'customer_cells'] : ['cells'];
}
