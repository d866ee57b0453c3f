import { type Grain, tablesOf } from '../src/rollups/rollups/grains.ts';
import type { Filled } from './filled.ts';
import { narrowCalls } from './narrow-columns.ts';

/** The questions of `bench/run.ts`, each with the statements that bound it. */

const dayMs = 86_400_000;
export const dayBefore = (count: number): string => new Date(Date.now() - count * dayMs).toISOString().slice(0, 10);

export interface Question {
  readonly name: string;
  readonly type: 'revenue' | 'internal';
  readonly path: string;
  /** Empty where the question is a GET. */
  readonly body: Record<string, unknown>;
  /** The query of a GET; a number of rows by default. */
  readonly query?: string;
  /** SQL that reads the narrowest rollup, or the calls where no rollup has the answer; `P` is the project. */
  readonly floor: string;
  /** SQL that reads the same from the calls. */
  readonly scan: string;
  /** SQL for the floor over narrow columns (bench/narrow-columns.ts), of questions about runs that no rollup has. */
  readonly narrow?: string;
  /** Whether the page asked for is in the middle. */
  readonly isDeep?: boolean;
}

const some = Array.from({ length: 50 }, (_, index) => `customer-${index * 7}`);
const quoted = some.map((name) => `'${name}'`).join(', ');

const cells = (grain: Grain) => `${tablesOf(grain)[0]} WHERE project = 'P' AND grain = '${grain}'`;
const customerCells = (grain: Grain) => `customer_cells WHERE project = 'P' AND grain = '${grain}'`;
const calls = `calls FINAL WHERE project = 'P' AND generation = 0`;

/** Costs and runs per day, grouped by run: where no rollup has the answer, the floor is this without FINAL. */
const runsOf = (by: '' | 'provider', from: string, run = 'sipHash128(run)'): string => {
  const key = ['day', ...(by ? [by] : [])].join(', ');
  return `SELECT ${key}, sum(run_cost), countIf(feature != ''), maxIf(run_cost, feature != '') FROM (SELECT ${key}, feature, ${run} AS run_hash, sum(cost) AS run_cost FROM ${from} GROUP BY ${key}, feature, run_hash) GROUP BY ${key} ORDER BY ${key}`;
};

interface Questions {
  readonly questions: readonly Question[];
  /** Asked before anything is measured. */
  readonly warming: Question;
}

/** The questions for a filled data folder. Their range ends yesterday. */
export function listQuestions(filled: Filled): Questions {
  const range = { date_from: dayBefore(filled.days), date_to: dayBefore(1) };
  const questions: readonly Question[] = [
    {
      name: 'cost per day',
      type: 'revenue',
      path: '/api/costs/',
      body: { ...range, limit: 1000 },
      floor: `SELECT day, sum(cost), sum(runs), max(max_run_cost) FROM ${cells('total')} GROUP BY day ORDER BY day`,
      scan: `SELECT day, sum(cost) FROM ${calls} GROUP BY day ORDER BY day`,
    },
    {
      name: 'cost per month by model',
      type: 'revenue',
      path: '/api/costs/',
      body: { ...range, aggregate: 'month', group_by: 'model', limit: 1000 },
      floor: `SELECT toYYYYMM(day) AS month, model, sum(cost), sum(runs), max(max_run_cost) FROM ${cells('model')} GROUP BY month, model ORDER BY month, model`,
      scan: `SELECT toYYYYMM(day) AS month, model, sum(cost) FROM ${calls} GROUP BY month, model ORDER BY month, model`,
    },
    {
      name: 'day × customer, first page',
      type: 'revenue',
      path: '/api/costs/',
      body: { ...range, group_by: 'customer' },
      floor: `SELECT day, customer, sum(cost), sum(runs), max(max_run_cost) FROM ${cells('customer')} AND day = '${range.date_from}' GROUP BY day, customer ORDER BY day, customer LIMIT 101`,
      scan: `SELECT day, customer, sum(cost) FROM ${calls} GROUP BY day, customer ORDER BY day, customer LIMIT 101`,
    },
    {
      name: 'day × customer, deep page',
      type: 'revenue',
      path: '/api/costs/',
      body: { ...range, group_by: 'customer' },
      isDeep: true,
      floor: `SELECT day, customer, sum(cost), sum(runs), max(max_run_cost) FROM ${cells('customer')} AND day = '${range.date_from}' GROUP BY day, customer ORDER BY day, customer LIMIT 101`,
      scan: `SELECT day, customer, sum(cost) FROM ${calls} GROUP BY day, customer ORDER BY day, customer LIMIT 101`,
    },
    {
      name: 'cost per day of 50 customers',
      type: 'revenue',
      path: '/api/costs/',
      body: { ...range, customers: some, limit: 1000 },
      floor: `SELECT day, sum(cost), sum(runs), max(max_run_cost) FROM ${customerCells('customer')} AND customer IN (${quoted}) GROUP BY day ORDER BY day`,
      scan: `SELECT day, sum(cost) FROM ${calls} AND customer IN (${quoted}) GROUP BY day ORDER BY day`,
    },
    {
      name: 'customers in all, first page',
      type: 'revenue',
      path: '/api/costs/',
      body: { ...range, aggregate: 'all', group_by: 'customer' },
      floor: `SELECT customer, sum(cost), sum(runs), max(max_run_cost) FROM ${cells('customer')} GROUP BY customer ORDER BY customer LIMIT 101`,
      scan: `SELECT customer, sum(cost) FROM ${calls} GROUP BY customer ORDER BY customer LIMIT 101`,
    },
    {
      name: 'margin by customer and month, page',
      type: 'revenue',
      path: '/api/margin/',
      body: { ...range, aggregate: 'month', group_by: 'customer' },
      floor: `SELECT customer, sum(cost) FROM ${cells('customer')} AND toYYYYMM(day) = toYYYYMM(toDate('${range.date_from}')) GROUP BY customer ORDER BY customer LIMIT 101`,
      scan: `SELECT toYYYYMM(day) AS month, customer, sum(cost) FROM ${calls} GROUP BY month, customer ORDER BY month, customer LIMIT 101`,
    },
    {
      name: 'performance by user and day, page',
      type: 'internal',
      path: '/api/performance/',
      body: { ...range, group_by: 'user' },
      floor: `SELECT day, user, sum(cost) FROM ${cells('user')} AND day = '${range.date_from}' GROUP BY day, user ORDER BY day, user LIMIT 101`,
      scan: `SELECT day, user, sum(cost) FROM ${calls} GROUP BY day, user ORDER BY day, user LIMIT 101`,
    },
    {
      name: 'customers × features, per day',
      type: 'revenue',
      path: '/api/costs/',
      body: { ...range, customers: some, features: ['feature-1', 'feature-2', 'feature-3'], limit: 1000 },
      floor: `SELECT day, sum(cost), sum(runs), max(max_run_cost) FROM ${customerCells('customer_feature')} AND customer IN (${quoted}) AND feature IN ('feature-1', 'feature-2', 'feature-3') GROUP BY day ORDER BY day`,
      scan: `SELECT day, sum(cost) FROM ${calls} AND customer IN (${quoted}) AND feature IN ('feature-1', 'feature-2', 'feature-3') GROUP BY day ORDER BY day`,
    },
    {
      name: 'usage by model of 50 customers',
      type: 'revenue',
      path: '/api/usage/',
      body: { ...range, aggregate: 'all', group_by: 'model', customers: some },
      floor: `SELECT model, sum(calls), sum(input_tokens), sum(output_tokens) FROM ${customerCells('customer_price')} AND customer IN (${quoted}) GROUP BY model ORDER BY model`,
      scan: `SELECT model, count(), sum(input_tokens), sum(output_tokens) FROM ${calls} AND customer IN (${quoted}) GROUP BY model ORDER BY model`,
    },
    {
      name: 'three models with run columns, per day',
      type: 'revenue',
      path: '/api/costs/',
      body: { ...range, models: ['model-1', 'model-2', 'model-3'], limit: 1000 },
      floor: runsOf('', "calls WHERE project = 'P' AND generation = 0 AND model IN ('model-1', 'model-2', 'model-3')"),
      scan: runsOf('', `${calls} AND model IN ('model-1', 'model-2', 'model-3')`),
      narrow: runsOf('', `${narrowCalls} WHERE model IN ('model-1', 'model-2', 'model-3')`, 'run'),
    },
    {
      name: 'five providers with run columns, per day',
      type: 'revenue',
      path: '/api/costs/',
      body: {
        ...range,
        providers: Array.from({ length: 5 }, (_, index) => `provider-${index}`),
        limit: 1000,
      },
      floor: runsOf('', "calls WHERE project = 'P' AND generation = 0"),
      scan: runsOf('', calls),
      narrow: runsOf('', narrowCalls, 'run'),
    },
    {
      name: 'two features × two models by provider, per day',
      type: 'revenue',
      path: '/api/costs/',
      body: {
        ...range,
        group_by: 'provider',
        features: ['feature-1', 'feature-2'],
        models: ['model-1', 'model-2'],
        limit: 1000,
      },
      floor: runsOf(
        'provider',
        "calls WHERE project = 'P' AND generation = 0 AND feature IN ('feature-1', 'feature-2') AND model IN ('model-1', 'model-2')",
      ),
      scan: runsOf(
        'provider',
        `${calls} AND feature IN ('feature-1', 'feature-2') AND model IN ('model-1', 'model-2')`,
      ),
      narrow: runsOf(
        'provider',
        `${narrowCalls} WHERE feature IN ('feature-1', 'feature-2') AND model IN ('model-1', 'model-2')`,
        'run',
      ),
    },
    {
      name: 'customers list, first page',
      type: 'revenue',
      path: '/api/customers/',
      body: {},
      floor: `SELECT customer, sum(calls), min(first_time), max(last_time) FROM ${cells('customer')} GROUP BY customer ORDER BY customer LIMIT 101`,
      scan: `SELECT customer, count(), min(time), max(time) FROM ${calls} GROUP BY customer ORDER BY customer LIMIT 101`,
    },
    {
      name: 'calls behind a row, first page',
      type: 'revenue',
      path: '/api/calls/',
      body: { date_from: dayBefore(20), date_to: dayBefore(20), customers: ['customer-7'] },
      floor: `SELECT event_id FROM calls WHERE project = 'P' AND generation = 0 AND day = '${dayBefore(20)}' AND customer = 'customer-7' ORDER BY time LIMIT 101`,
      scan: `SELECT event_id FROM ${calls} AND day = '${dayBefore(20)}' AND customer = 'customer-7' ORDER BY time LIMIT 101`,
    },
    ...[30, filled.days].map(
      (days): Question => ({
        name: `coverage of ${days} days`,
        type: 'revenue',
        path: '/api/coverage/',
        body: {},
        query: `date_from=${dayBefore(days)}&date_to=${dayBefore(1)}`,
        floor: `SELECT model, sum(cost), sum(calls), sum(unpriced_calls) FROM ${cells('price')} AND day >= '${dayBefore(days)}' GROUP BY model`,
        scan: `SELECT model, provider, unpriced_reason, count(), sum(cost) FROM ${calls} AND day >= '${dayBefore(days)}' GROUP BY ALL`,
      }),
    ),
  ];

  const warming: Question = {
    name: 'cost per day by provider',
    type: 'revenue',
    path: '/api/costs/',
    body: { ...range, group_by: 'provider', limit: 1000 },
    floor: '',
    scan: '',
  };

  return { questions, warming };
}

const filterFields = ['customers', 'features', 'models', 'providers'];

/** What makes another question of one without groups: another name that no call has in its filter, or other dates. */
export function vary(body: Question['body'], number: number, { days }: Pick<Filled, 'days'>): Record<string, unknown> {
  const { group_by, date_to } = body;
  if (group_by !== undefined || typeof date_to !== 'string') return {};
  const filter = filterFields.find((field) => body[field] !== undefined);
  if (filter) return { [filter]: [...(body[filter] as string[]), `none-${number}`] };
  const to = Math.floor((Date.now() - Date.parse(date_to)) / dayMs);
  return { date_from: dayBefore(days + (number % 25)), date_to: dayBefore(to + (Math.floor(number / 25) % 25)) };
}
