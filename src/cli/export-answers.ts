import { bucketNames, usageBuckets } from '../lib/usage-buckets.ts';
import type { AdminApi } from './api.ts';

/** A column of the CSV, and the path of its value in a row. */
export interface Column {
  readonly header: string;
  readonly path: readonly string[];
}

interface Filter {
  readonly option: string;
  /** The field of the body. */
  readonly field: string;
  readonly kind: 'values' | 'tags';
  readonly about: string;
}

/** An answer that can be exported. */
export interface Answer {
  readonly name: string;
  readonly path: string;
  /** The dimensions that its rows can be grouped by. */
  readonly dimensions: readonly string[];
  readonly filters: readonly Filter[];
  columns(groupBy: string | undefined, api: AdminApi): Promise<Column[]>;
}

const values = (option: string, field: string, about: string): Filter => ({ option, field, kind: 'values', about });
const tags = (option: string, field: string, about: string): Filter => ({ option, field, kind: 'tags', about });

const callDimensions = ['customer', 'feature', 'model', 'provider'];
const callFilters = [
  values('customer', 'customers', 'only this customer'),
  values('feature', 'features', 'only this feature'),
  values('model', 'models', 'only this model'),
  values('provider', 'providers', 'only this provider'),
  tags('customer-tag', 'customer_tags', 'only customers with this tag'),
  tags('run-tag', 'run_tags', 'only runs with this tag'),
];

const column = (...path: string[]): Column => ({ header: path.join('.'), path });

/** The columns of every answer: the period and the dimension of its groups. */
const rowColumns = (groupBy: string | undefined): Column[] =>
  ['date_from', 'date_to', ...(groupBy === undefined ? [] : [groupBy])].map((name) => column(name));

const withFields =
  (...fields: readonly Column[]) =>
  async (groupBy: string | undefined): Promise<Column[]> => [...rowColumns(groupBy), ...fields];

export const answers: readonly Answer[] = [
  {
    name: 'costs',
    path: '/api/costs/',
    dimensions: callDimensions,
    filters: callFilters,
    columns: withFields(column('cost'), column('avg_feature_run_cost'), column('max_feature_run_cost')),
  },
  {
    name: 'margin',
    path: '/api/margin/',
    dimensions: ['customer'],
    filters: [
      values('customer', 'customers', 'only this customer'),
      values(
        'used-feature',
        'filter_customers_based_on_features',
        'only customers that used this feature in the period',
      ),
    ],
    columns: withFields(...['revenue', 'cost', 'margin', 'margin_pct', 'risk_status'].map((field) => column(field))),
  },
  {
    name: 'performance',
    path: '/api/performance/',
    dimensions: ['user'],
    filters: [
      values('user', 'users', 'only this user'),
      values('used-feature', 'filter_users_based_on_features', 'only users that used this feature in the period'),
      tags('user-tag', 'user_tags', 'only users with this tag'),
    ],
    columns: async (groupBy, api) => {
      const { key_metrics: metrics } = await api.get<{ key_metrics: readonly { name: string }[] }>('/api/key-metrics/');
      return [
        ...rowColumns(groupBy),
        column('cost'),
        ...metrics.flatMap(({ name }) =>
          ['value', 'total_cost', 'cost_per_unit'].map((field) => column('key_metrics', name, field)),
        ),
      ];
    },
  },
  {
    name: 'usage',
    path: '/api/usage/',
    dimensions: callDimensions,
    filters: callFilters,
    columns: withFields(
      ...['calls', 'errors', 'unpriced_calls', 'partly_priced_calls'].map((field) => column(field)),
      ...usageBuckets.map((bucket) => column('tokens', bucketNames[bucket])),
      // One column of JSON: most calls have no unit, and releases add units.
      column('units'),
      ...['elapsed_ms_sum', 'elapsed_ms_max'].map((field) => column(field)),
    ),
  },
];
