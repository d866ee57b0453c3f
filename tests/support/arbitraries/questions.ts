// Random questions about a project.
import fc from 'fast-check';
import type { Dimension } from '../client.ts';
import {
  type Aggregate,
  addDays,
  type CostsQuery,
  type MarginQuery,
  type PerformanceQuery,
  type PlansQuery,
} from '../model.ts';
import {
  customers,
  type Defined,
  days,
  environments,
  features,
  firstDay,
  models,
  providers,
  rarely,
  some,
  tagFilter,
  users,
  withoutUndefined,
} from './names.ts';

export const aggregates: Aggregate[] = ['day', 'week', 'month', 'quarter', 'year', 'all'];
export const dimensions: Dimension[] = ['customer', 'feature', 'model', 'provider'];
type CallGroup = NonNullable<CostsQuery['group_by']>;
/** No customer or user has the tag `none`. */
function tagGroups<Kind extends 'customer_tag' | 'user_tag'>(kind: Kind): `${Kind}:${string}`[] {
  return [`${kind}:plan`, `${kind}:none`];
}
/** The key `customer` is also that of a column, and no call has `none`. */
export const groups: CallGroup[] = [...dimensions, 'tag:env', 'tag:customer', 'tag:none', ...tagGroups('customer_tag')];

const nameTagFilter = tagFilter({ plan: ['pro', 'free', ''], 're"gion': ['eu', '日本', ''] });
const runTagFilter = tagFilter({ env: environments, team: ['x', '7', 'true'], customer: customers, feature: features });

export const costFilters = fc
  .record({
    customers: rarely(some(customers)),
    features: rarely(some(features)),
    models: rarely(some(models)),
    providers: rarely(some(providers)),
    customer_tags: rarely(nameTagFilter),
    run_tags: rarely(runTagFilter),
  })
  .map(withoutUndefined);

const several = (values: string[]) => fc.subarray(values, { minLength: 2 });

/** Several models or providers: no grain of cells holds their runs, so the rows of runs answer. */
const wideFilters = fc
  .record({
    models: fc.option(several(models), { nil: undefined }),
    providers: several(providers),
    customers: rarely(some(customers)),
    features: rarely(some(features)),
  })
  .map(withoutUndefined);

/** A date range for a history of this many days; often the whole history. */
export const rangeWithin = (most: number): fc.Arbitrary<{ date_from: string; date_to: string }> =>
  fc.oneof(
    fc.constant({ date_from: firstDay, date_to: addDays(firstDay, most) }),
    fc.tuple(fc.integer({ min: -5, max: most + 5 }), fc.integer({ min: 0, max: most })).map(([first, length]) => ({
      date_from: addDays(firstDay, first),
      date_to: addDays(firstDay, first + length),
    })),
  );

/** The fields that all three questions share. */
const common = <Group extends string>(most: number, groups: Group[]) =>
  fc
    .record({
      range: rangeWithin(most),
      // Mostly coarse, so that a row has several calls and a period several groups.
      aggregate: fc.constantFrom<Aggregate | undefined>(undefined, ...aggregates, 'year', 'all'),
      group_by: fc.constantFrom(undefined, ...groups),
    })
    .map(({ range, ...fields }) => ({ ...range, ...withoutUndefined(fields) }));

const credits = fc
  .record({ apply_credits: fc.constantFrom(undefined, false, true, true) })
  .map((fields): { apply_credits?: boolean } => withoutUndefined(fields));

function together<A extends object, B extends object>(a: fc.Arbitrary<A>, b: fc.Arbitrary<B>): fc.Arbitrary<A & B> {
  return fc.tuple(a, b).map(([left, right]) => ({ ...left, ...right }));
}

export const costsQuery: fc.Arbitrary<CostsQuery> = together(
  common(days, groups),
  fc.oneof({ weight: 3, arbitrary: costFilters }, { weight: 1, arbitrary: wideFilters }),
);

/** Groups by tags only where there are calls: they need them. */
export const creditedQuery = (most: number, by: CallGroup[] = dimensions): fc.Arbitrary<CostsQuery> =>
  together(common(most, by), together(costFilters, credits));

export const marginFilters = fc
  .record({ customers: rarely(some(customers)), filter_customers_based_on_features: rarely(some(features)) })
  .map((fields): Defined<typeof fields> => withoutUndefined(fields));

export const marginQuery = (most: number): fc.Arbitrary<MarginQuery> =>
  together(common(most, ['customer' as const, ...tagGroups('customer_tag')]), together(marginFilters, credits));

export const plansQuery = (most: number): fc.Arbitrary<PlansQuery> =>
  fc
    .tuple(
      common(most, []),
      marginFilters,
      credits,
      fc.record({
        plan_tag: fc.constantFrom(undefined, 're"gion', 'none'),
        target_margin_pct: fc.constantFrom(undefined, 0, 33.3, 70, 99),
      }),
    )
    .map(([range, filters, basis, own]) => ({ ...range, ...filters, ...basis, ...withoutUndefined(own) }));

export const performanceFilters = fc
  .record({
    users: rarely(some(users)),
    user_tags: rarely(nameTagFilter),
    filter_users_based_on_features: rarely(some(features)),
  })
  .map((fields): Defined<typeof fields> => withoutUndefined(fields));

export const performanceQuery = (most: number): fc.Arbitrary<PerformanceQuery> =>
  together(common(most, ['user' as const, ...tagGroups('user_tag')]), together(performanceFilters, credits));
