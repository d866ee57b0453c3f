import { callDimensions, dimensionNames, dimensions } from '../lib/dimensions.ts';

/** An option that restricts the rows. */
interface Filter {
  readonly option: string;
  /** The field of the question. */
  readonly field: string;
  /** `tags` and `values` can be repeated, `value` and `flag` can't. */
  readonly kind: 'values' | 'tags' | 'value' | 'flag';
  /** What the help says to give, such as `name`. */
  readonly given: string;
  readonly about: string;
}

export interface Answer {
  readonly name: string;
  /** The object of "Write …, in one file" in the help. */
  readonly about: string;
  /** The question is the body of a POST, or the query string of a GET. */
  readonly method: 'GET' | 'POST';
  /** `{id}` stands for the argument. */
  readonly path: string;
  readonly argument?: { readonly name: string; readonly about: string; readonly example: string };
  /** Whether `--from` must be given; undefined for an answer without days. */
  readonly from?: 'required' | 'optional';
  readonly hasPeriods?: true;
  readonly dimensions: readonly string[];
  /** The kinds of tags that rows can also be grouped by. */
  readonly tagKinds?: readonly string[];
  readonly filters: readonly Filter[];
}

const filter =
  (kind: Filter['kind'], given = '') =>
  (option: string, field: string, about: string): Filter => ({ option, field, kind, given, about });
const values = filter('values', 'name');
const value = (given: string) => filter('value', given);
const tags = filter('tags', 'key=value');
const flag = filter('flag');

const callFilters = [
  ...callDimensions.map((name) => values(name, dimensions[name].plural, `only this ${name}`)),
  tags('customer-tag', 'customer_tags', 'only customers with this tag'),
  tags('run-tag', 'run_tags', 'only runs with this tag'),
];
const applyCredits = flag('apply-credits', 'apply_credits', 'costs after free AI credits');
const includeShared = flag('include-shared', 'include_shared', 'with shared costs');
const asOf = value('close')('as-of', 'as_of', 'as of the close with this id');

/** An answer by period that takes filters. */
const byPeriod = (name: string, about: string, asked: Pick<Answer, 'dimensions' | 'tagKinds' | 'filters'>): Answer => ({
  name,
  about,
  method: 'POST',
  path: `/api/${name}/`,
  from: 'required',
  hasPeriods: true,
  ...asked,
});

const list = (name: string): Answer => ({
  name,
  about: `the ${name} with their calls`,
  method: 'GET',
  path: `/api/${name}/`,
  dimensions: [],
  filters: [value('text')('search', 'search', 'only names that contain this text')],
});

export const answers: readonly Answer[] = [
  byPeriod('costs', 'costs', {
    dimensions: callDimensions,
    tagKinds: ['tag', 'customer_tag'],
    filters: [...callFilters, applyCredits, includeShared, asOf],
  }),
  byPeriod('margin', 'revenue, cost and margin', {
    dimensions: ['customer'],
    tagKinds: ['customer_tag'],
    filters: [
      values('customer', 'customers', 'only this customer'),
      values(
        'used-feature',
        'filter_customers_based_on_features',
        'only customers that used this feature in the period',
      ),
      applyCredits,
      includeShared,
      asOf,
    ],
  }),
  byPeriod('plans', 'how plans pay', {
    dimensions: [],
    filters: [
      value('tag')('plan-tag', 'plan_tag', 'the tag of customers whose values are the plans (default: plan)'),
      value('percent')('target-margin', 'target_margin_pct', 'percent of revenue that customers should reach'),
      values('customer', 'customers', 'only this customer'),
      values(
        'used-feature',
        'filter_customers_based_on_features',
        'only customers that used this feature in the period',
      ),
      applyCredits,
      asOf,
    ],
  }),
  byPeriod('performance', 'costs and key metrics', {
    dimensions: ['user'],
    tagKinds: ['user_tag'],
    filters: [
      values('user', 'users', 'only this user'),
      values('used-feature', 'filter_users_based_on_features', 'only users that used this feature in the period'),
      tags('user-tag', 'user_tags', 'only users with this tag'),
      applyCredits,
      includeShared,
      asOf,
    ],
  }),
  byPeriod('usage', 'calls, errors, tokens and units', {
    dimensions: callDimensions,
    tagKinds: ['tag', 'customer_tag'],
    filters: [...callFilters, applyCredits, includeShared, asOf],
  }),
  byPeriod('reconciliation', 'why invoices differ from computed costs', {
    dimensions: ['provider', 'model'],
    filters: [],
  }),
  {
    name: 'calls',
    about: 'calls with their costs',
    method: 'POST',
    path: '/api/calls/',
    from: 'required',
    dimensions: [],
    filters: [...callFilters, applyCredits],
  },
  {
    name: 'drift',
    about: 'what has changed since a close',
    method: 'POST',
    path: '/api/closes/{id}/drift/',
    argument: { name: 'close', about: 'the id of the close', example: 'cls_…' },
    from: 'optional',
    dimensions: ['cause', 'customer'],
    filters: [includeShared],
  },
  {
    name: 'revenue',
    about: 'the revenue entries',
    method: 'GET',
    path: '/api/revenue/',
    from: 'optional',
    dimensions: [],
    filters: [value('name')('customer', 'customer', 'only the entries of this customer')],
  },
  {
    name: 'invoices',
    about: 'the entries of invoices',
    method: 'GET',
    path: '/api/invoices/',
    from: 'optional',
    dimensions: [],
    filters: [value('name')('provider', 'provider', 'only the entries of this provider')],
  },
  {
    name: 'focus',
    about: 'costs and usage as rows of FOCUS, by day, model and customer',
    method: 'GET',
    path: '/api/exports/focus/',
    from: 'required',
    dimensions: [],
    filters: [includeShared, asOf, value('version')('focus-version', 'version', 'of FOCUS: 1.4 (default) or 1.2')],
  },
  ...dimensionNames.map((name) => list(dimensions[name].plural)),
];
