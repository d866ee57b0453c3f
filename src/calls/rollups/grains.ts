/**
 * What the calls of a day are added up by. Narrow grains make answers cheap; each mixture of dimensions that is worth its
 * rows has one, and what no grain serves is read from the calls.
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

/** What cells are told apart by, beside their day. */
export type CellDimension = 'customer' | 'user' | 'feature' | 'provider' | 'model';
export type Grain = keyof typeof grains;

export const grainNames = Object.keys(grains) as Grain[];

/** The columns that tell the cells of a grain apart within a day. */
export const dimensionsOf = (grain: Grain): readonly CellDimension[] => grains[grain];

/**
 * The grains that hold feature runs (D6.7): how many feature runs a cell has calls of, and what they cost in it. One with
 * several days, customers, models or providers is in several cells.
 */
const runGrains = ['total', 'customer', 'feature', 'model', 'provider', 'customer_feature'] as const satisfies Grain[];

export type RunGrain = (typeof runGrains)[number];

export const isRunGrain = (grain: Grain): grain is RunGrain => (runGrains as readonly Grain[]).includes(grain);

/** The tables of cells, with the dimensions that tell their cells apart, in the order of their key. */
export const cellTables = {
  /** The grains of features, models and providers: few cells a day. */
  narrow_cells: ['feature', 'provider', 'model'],
  /** The grains of customers and users, by day: what a page of a day needs is together. */
  cells: ['customer', 'user', 'feature', 'provider', 'model'],
  /** The grains of customers once more, by customer: what a few customers need of a long range is together. */
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
