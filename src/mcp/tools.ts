import type { Asked } from './asked.ts';
import type { PagePlace } from './page-place.ts';
import * as places from './page-place.ts';

/** A question that an assistant can ask. It is one route, with its schemas and description. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly method: 'get' | 'post';
  /** The path of the route in the OpenAPI document. */
  readonly path: string;
  /** The unit of each field that has one. */
  readonly units: Readonly<Record<string, string>>;
  /** The field of the answer that has its rows. */
  readonly list?: string;
  /** Says how to get a smaller answer. */
  readonly smaller: string;
  /** Where the web page shows the same. */
  readonly place: (asked: Asked, answer: Asked) => PagePlace;
}

const fewerRows = 'Narrower dates, filters or a longer `aggregate` give fewer rows.';
const callUnits = { cost: 'USD', net_cost: 'USD', tokens: 'tokens', elapsed_ms: 'ms' };

/** Every tool. All of them read. */
export const tools: readonly Tool[] = [
  {
    name: 'project',
    title: 'The project',
    method: 'get',
    path: '/api/project/',
    units: { at_risk_below_pct: 'percent of revenue', retention_days: 'days' },
    smaller: '',
    place: () => ({ steps: [] }),
  },
  {
    name: 'costs',
    title: 'Costs',
    method: 'post',
    path: '/api/costs/',
    units: { cost: 'USD', avg_feature_run_cost: 'USD', max_feature_run_cost: 'USD' },
    list: 'rows',
    smaller: fewerRows,
    place: places.ofBreakdown,
  },
  {
    name: 'margin',
    title: 'Margin',
    method: 'post',
    path: '/api/margin/',
    units: { revenue: 'USD', cost: 'USD', margin: 'USD', margin_pct: 'percent of revenue' },
    list: 'rows',
    smaller: fewerRows,
    place: places.ofBreakdown,
  },
  {
    name: 'performance',
    title: 'Performance',
    method: 'post',
    path: '/api/performance/',
    units: { cost: 'USD', total_cost: 'USD', cost_per_unit: 'USD', value: 'units of the key metric' },
    list: 'rows',
    smaller: fewerRows,
    place: places.ofUsers,
  },
  {
    name: 'usage',
    title: 'Usage',
    method: 'post',
    path: '/api/usage/',
    units: { tokens: 'tokens', units: 'of each unit', elapsed_ms_sum: 'ms', elapsed_ms_max: 'ms' },
    list: 'rows',
    smaller: fewerRows,
    place: places.ofBreakdown,
  },
  {
    name: 'changes',
    title: 'Why the cost changed',
    method: 'post',
    path: '/api/changes/',
    units: { cost_before: 'USD', cost: 'USD', difference: 'USD', amount: 'USD', parts: 'USD' },
    smaller: 'Filters give fewer rows.',
    place: places.ofOverview,
  },
  {
    name: 'coverage',
    title: 'Coverage',
    method: 'get',
    path: '/api/coverage/',
    units: {
      cost: 'USD',
      customer_attributed_cost: 'USD',
      feature_attributed_cost: 'USD',
      user_attributed_cost: 'USD',
      priced_share: 'from 0 to 1',
      customer_attributed_share: 'from 0 to 1',
      feature_attributed_share: 'from 0 to 1',
      user_attributed_share: 'from 0 to 1',
      'unmapped_revenue.amount': 'USD',
    },
    smaller: 'Narrower dates give shorter lists.',
    place: (_asked, answer) => places.ofOverview(answer),
  },
  {
    name: 'calls',
    title: 'Calls',
    method: 'post',
    path: '/api/calls/',
    units: callUnits,
    list: 'rows',
    smaller: 'Narrower dates and filters give fewer calls.',
    place: places.ofCalls,
  },
  {
    name: 'explain_call',
    title: 'One call explained',
    method: 'get',
    path: '/api/calls/{event_id}/',
    units: {
      ...callUnits,
      amount: 'USD',
      rate_per_mtok: 'USD per million tokens',
      rate_per_unit: 'USD per one',
      rate_per_request: 'USD per call',
      reported_cost: 'USD',
    },
    smaller: 'The link shows the whole call with its events.',
    place: places.ofCall,
  },
  {
    name: 'budgets',
    title: 'Budgets',
    method: 'get',
    path: '/api/budgets/',
    units: { amount: 'USD', thresholds: 'percent of the amount' },
    list: 'budgets',
    smaller: '',
    place: () => ({ steps: ['budgets'] }),
  },
  {
    name: 'budget',
    title: 'A budget: spent and forecast',
    method: 'get',
    path: '/api/budgets/{name}/',
    units: {
      amount: 'USD',
      spent: 'USD',
      remaining: 'USD',
      forecast: 'USD',
      spent_pct: 'percent of the amount',
      thresholds: 'percent of the amount',
    },
    smaller: '`of` asks for one customer, user or feature.',
    place: ({ name }) => ({ steps: ['budgets'], search: { budget: name } }),
  },
  {
    name: 'reconciliation',
    title: 'Invoices against costs',
    method: 'post',
    path: '/api/reconciliation/',
    units: {
      computed: 'USD',
      invoiced: 'USD',
      difference: 'USD',
      difference_pct: 'percent of computed',
      amount: 'USD',
      '*_per_mtok': 'USD per million tokens',
    },
    list: 'rows',
    smaller: fewerRows,
    place: places.ofReconciliation,
  },
  {
    name: 'closes',
    title: 'Closes',
    method: 'get',
    path: '/api/closes/',
    units: { days: 'days' },
    list: 'closes',
    smaller: '',
    place: () => ({ steps: ['closes'] }),
  },
  {
    name: 'drift',
    title: 'What changed since a close',
    method: 'post',
    path: '/api/closes/{id}/drift/',
    units: { cost: 'USD', revenue: 'USD', credits: 'USD' },
    list: 'rows',
    smaller: 'Narrower dates give fewer rows.',
    place: ({ id }) => ({ steps: ['closes'], search: { close: id } }),
  },
  {
    name: 'customers',
    title: 'Names of customers',
    method: 'get',
    path: '/api/customers/',
    units: {},
    list: 'rows',
    smaller: '`search` gives fewer names.',
    place: () => ({ steps: ['customers'] }),
  },
  {
    name: 'users',
    title: 'Names of users',
    method: 'get',
    path: '/api/users/',
    units: {},
    list: 'rows',
    smaller: '`search` gives fewer names.',
    place: () => ({ steps: ['users'] }),
  },
];
