import { addDays, type Day } from '../lib/days.ts';
import { callDimensions, dimensionNames, dimensions } from '../lib/dimensions.ts';

/** A request that only reads. */
export interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

/** How far back the requests go, in days. Totals go back for the longest range that is allowed (D6.5). */
const rangeDays = 1_461;
const longestRangeDays = 3_660;

const lists = dimensionNames.map((name) => dimensions[name].plural);
const kept = ['prices', 'credit-grants', 'key-metrics', 'revenue', 'shared-costs', 'prices/reprices', 'project'];

/** Requests of every kind: two services that answer all of them alike have the same data of the project. */
export function sampleQuestions(type: 'revenue' | 'internal', today: Day): Question[] {
  const range = { date_from: addDays(today, 1 - rangeDays), date_to: today };
  const ask = (path: string, ...bodies: object[]): Question[] =>
    bodies.map((body) => ({ method: 'POST', path, body: { ...range, ...body } }));
  const grouped = (dimensions: readonly string[]) =>
    dimensions.map((group_by) => ({ aggregate: 'quarter', group_by, apply_credits: true, limit: 1_000 }));
  const whole = { date_from: addDays(today, 1 - longestRangeDays), aggregate: 'all' };
  return [
    ...ask('/api/costs/', whole, { aggregate: 'day', limit: 1_000 }, ...grouped(callDimensions)),
    ...ask('/api/usage/', whole, { aggregate: 'quarter', group_by: 'model' }),
    ...(type === 'revenue'
      ? ask('/api/margin/', whole, ...grouped(['customer']))
      : ask('/api/performance/', whole, ...grouped(['user']))),
    ...ask('/api/calls/', { limit: 100 }),
    ...lists.map((name): Question => ({ method: 'GET', path: `/api/${name}/?limit=1000` })),
    ...kept.map((name): Question => ({ method: 'GET', path: `/api/${name}/` })),
    { method: 'GET', path: `/api/coverage/?date_from=${range.date_from}&date_to=${range.date_to}` },
    { method: 'GET', path: '/api/events/?limit=100' },
    { method: 'GET', path: '/api/events/?limit=100&order=oldest' },
  ];
}
