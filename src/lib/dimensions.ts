/** What distinguishes a dimension. All else is derived from it, but its grains with others (rollups/rollups/grains.ts). */
interface DimensionFacts {
  /** The name of its list and of the filter by it. */
  readonly plural: string;
  /** What a filter calls its values. */
  readonly values: string;
  /** The dashboard's page of them. */
  readonly page: string;
  /** The tags that name it, the first that is set; and the top-level fields that do where no tag does (D4.4). */
  readonly tags: readonly string[];
  readonly fields: readonly string[];
  /** Whether questions about calls are filtered and grouped by it. */
  readonly isAsked: boolean;
  /** Whether its values carry tags of their own. */
  readonly isTagged: boolean;
  /** Whether changes, unusual costs and metrics name its values. */
  readonly isWatched: boolean;
}

/** The dimensions of calls. Each is a column of this name, where a call that names none has `''` (D4.5). */
export const dimensions = {
  customer: {
    plural: 'customers',
    values: 'customers',
    page: 'customers',
    tags: ['customer', 'customer_id'],
    fields: ['customer', 'customer_id', 'customer_name'],
    isAsked: true,
    isTagged: true,
    isWatched: true,
  },
  user: {
    plural: 'users',
    values: 'users',
    page: 'users',
    tags: ['user', 'user_id'],
    fields: ['user', 'user_id'],
    isAsked: false,
    isTagged: true,
    isWatched: false,
  },
  feature: {
    plural: 'features',
    values: 'feature tags',
    page: 'features',
    tags: ['feature'],
    fields: ['feature'],
    isAsked: true,
    isTagged: false,
    isWatched: true,
  },
  model: {
    plural: 'models',
    values: 'models',
    page: 'models',
    tags: [],
    fields: ['model', 'response.model'],
    isAsked: true,
    isTagged: false,
    isWatched: true,
  },
  provider: {
    plural: 'providers',
    values: 'providers',
    page: 'models',
    tags: [],
    fields: ['provider'],
    isAsked: true,
    isTagged: false,
    isWatched: false,
  },
} as const satisfies Readonly<Record<string, DimensionFacts>>;

export type Dimension = keyof typeof dimensions;
export type Plural<D extends Dimension = Dimension> = (typeof dimensions)[D]['plural'];
/** The dimensions that have a fact. */
type Having<Fact> = { [D in Dimension]: (typeof dimensions)[D] extends Fact ? D : never }[Dimension];

/** The dimensions by which questions about calls are filtered and grouped. */
export type CallDimension = Having<{ readonly isAsked: true }>;
/** The dimensions that events name by tags, for which others can stand in. */
export type NamedDimension = Having<{ readonly tags: readonly [string, ...string[]] }>;
export type TaggedDimension = Having<{ readonly isTagged: true }>;
export type WatchedDimension = Having<{ readonly isWatched: true }>;

export const dimensionNames = Object.keys(dimensions) as readonly Dimension[];

/** All dimensions: these, and then the others. */
const beginningWith = (...first: readonly Dimension[]): readonly Dimension[] => [
  ...new Set([...first, ...dimensionNames]),
];

/** The order in which calls share costs: by these dimensions, and then by their ids. */
export const shareOrder = beginningWith('customer', 'provider', 'model', 'feature');

/** The order in the keys of cells. */
export const cellOrder = beginningWith('customer', 'user', 'feature', 'provider');

export const isAsked = (dimension: Dimension): dimension is CallDimension => dimensions[dimension].isAsked;
const isNamed = (dimension: Dimension): dimension is NamedDimension => dimensions[dimension].tags.length > 0;
export const isTagged = (dimension: Dimension): dimension is TaggedDimension => dimensions[dimension].isTagged;
const isWatched = (dimension: Dimension): dimension is WatchedDimension => dimensions[dimension].isWatched;

export const callDimensions = dimensionNames.filter(isAsked);
export const namedDimensions = dimensionNames.filter(isNamed);
export const taggedDimensions = dimensionNames.filter(isTagged);
export const watchedDimensions = dimensionNames.filter(isWatched);

/** The order in which changes of costs are told. */
export const changedOrder = beginningWith('customer', 'model').filter(isWatched);

/** As `byName`, under the plural of a dimension, as the filters are named. */
export const byPlural = <D extends Dimension, Value>(of: readonly D[], make: (dimension: D) => Value) =>
  Object.fromEntries(of.map((name) => [dimensions[name].plural, make(name)])) as Record<Plural<D>, Value>;
