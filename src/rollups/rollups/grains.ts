/**
 * The grains: combinations of dimensions by which the calls of a day are rolled up. Narrow grains make answers cheap. A
 * combination has a grain if its use is worth its rows. Queries by other combinations read the calls.
 */
export const grains = {
  total: [],
  customer: ['customer'],
  user: ['user'],
  feature: ['feature'],
  model: ['model'],
  provider: ['provider'],
  customer_feature: ['customer', 'feature'],
  user_feature: ['user', 'feature'],
  price: ['provider', 'model'],
  customer_price: ['customer', 'provider', 'model'],
  feature_price: ['feature', 'provider', 'model'],
} as const satisfies Record<string, readonly CellDimension[]>;

/** The dimensions of cells, besides the day. */
export type CellDimension = 'customer' | 'user' | 'feature' | 'provider' | 'model';
export type Grain = keyof typeof grains;

export const grainNames = Object.keys(grains) as Grain[];

/** The dimensions of a grain's cells within a day. */
export const dimensionsOf = (grain: Grain): readonly CellDimension[] => grains[grain];

/**
 * The grains whose cells have the number and cost of feature runs (D6.7). A feature run with several days, customers,
 * models or providers is in several cells.
 */
const runGrains = ['total', 'customer', 'feature', 'model', 'provider', 'customer_feature'] as const satisfies Grain[];

export type RunGrain = (typeof runGrains)[number];

export const isRunGrain = (grain: Grain): grain is RunGrain => (runGrains as readonly Grain[]).includes(grain);

/** The tables of cells and their dimensions, in the order of their keys. */
export const cellTables = {
  /** The grains of features, models and providers: few cells a day. */
  narrow_cells: ['feature', 'provider', 'model'],
  /** The grains of customers and users, ordered by day: cells for a page of one day are adjacent. */
  cells: ['customer', 'user', 'feature', 'provider', 'model'],
  /** The grains of customers again, ordered by customer: cells of a few customers over a long range are adjacent. */
  customer_cells: ['customer', 'feature', 'provider', 'model'],
} as const satisfies Record<string, readonly CellDimension[]>;

export type CellTable = keyof typeof cellTables;

export const cellTableNames = Object.keys(cellTables) as CellTable[];

/** The tables that hold the cells of a grain. */
export function tablesOf(grain: Grain): readonly CellTable[] {
  const dimensions = dimensionsOf(grain);
  if (dimensions.includes('customer')) return ['cells', 'customer_cells'];
  return dimensions.includes('user') ? ['cells'] : ['narrow_cells'];
}
