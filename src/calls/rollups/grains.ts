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

/** The columns that cells are told apart by, in the order of their key. */
export const cellDimensions = ['customer', 'user', 'feature', 'provider', 'model'] as const;
export type CellDimension = (typeof cellDimensions)[number];
export type Grain = keyof typeof grains;

export const grainNames = Object.keys(grains) as Grain[];

/** The columns that tell the cells of a grain apart within a day. */
export const dimensionsOf = (grain: Grain): readonly CellDimension[] => grains[grain];

/**
 * The grains that hold feature runs (D6.7), with what tells the cells of one run apart. A feature run has one feature, so
 * the feature tells none apart.
 */
export const runGrains = {
  total: 'day',
  customer: '(day, customer)',
  feature: 'day',
  model: '(day, model)',
  provider: '(day, provider)',
  customer_feature: '(day, customer)',
} as const satisfies Partial<Record<Grain, string>>;

export type RunGrain = keyof typeof runGrains;

export const isRunGrain = (grain: Grain): grain is RunGrain => grain in runGrains;
