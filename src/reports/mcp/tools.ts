import { dimensionNames, dimensions, type Plural } from '../../lib/dimensions.ts';
import type { Asked, DashboardPlace } from './dashboard-place.ts';
import * as places from './dashboard-place.ts';

/** A question that an assistant can ask. It is one route, with its schemas and description. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly method: 'get' | 'post';
  /** The path of the route in the OpenAPI document. */
  readonly path: string;
  readonly units: Readonly<Record<string, string>>;
  /** The field of the answer that has its rows. */
  readonly list?: string;
  /** Says how to get a smaller answer. */
  readonly smaller: string;
  /** Says more than the description of a route that also does what no tool does. */
  readonly about?: string;
  /** Fields of the route that a question must have, and those that it may not. */
  readonly needs?: readonly string[];
  readonly without?: readonly string[];
  /** Where the web page shows the same. */
  readonly place: (asked: Asked, answer: Asked) => DashboardPlace;
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
    units: { cost: 'USD', shared_cost: 'USD', avg_feature_run_cost: 'USD', max_feature_run_cost: 'USD' },
    list: 'rows',
    smaller: fewerRows,
    place: places.ofBreakdown,
  },
  {
    name: 'margin',
    title: 'Margin',
    method: 'post',
    path: '/api/margin/',
    units: { revenue: 'USD', cost: 'USD', shared_cost: 'USD', margin: 'USD', margin_pct: 'percent of revenue' },
    list: 'rows',
    smaller: fewerRows,
    place: places.ofMargin,
  },
  {
    name: 'plans',
    title: 'How plans pay',
    method: 'post',
    path: '/api/plans/',
    without: ['include_shared'],
    units: {
      ...{ revenue: 'USD', cost: 'USD', margin: 'USD', cost_per_customer: 'USD', other_features_cost: 'USD' },
      ...{ margin_pct: 'percent of revenue', '*_share': 'from 0 to 1' },
    },
    list: 'rows',
    smaller: fewerRows,
    place: places.ofPlans,
  },
  {
    name: 'simulate_plans',
    title: 'What other plans would have earned',
    method: 'post',
    path: '/api/plans/simulate/',
    without: ['include_shared'],
    units: {
      ...{ revenue: 'USD', cost: 'USD', margin: 'USD', simulated_revenue: 'USD', simulated_margin: 'USD' },
      ...{ simulated_base: 'USD', base_per_month: 'USD', '*margin_pct': 'percent of revenue' },
    },
    smaller: 'Ask for fewer plans.',
    place: places.ofSimulation,
  },
  {
    name: 'performance',
    title: 'Performance',
    method: 'post',
    path: '/api/performance/',
    without: ['include_shared'],
    units: {
      cost: 'USD',
      total_cost: 'USD',
      cost_per_unit: 'USD',
      value: 'units of the key metric',
    },
    list: 'rows',
    smaller: fewerRows,
    place: places.ofUsers,
  },
  {
    name: 'usage',
    title: 'Usage',
    method: 'post',
    path: '/api/usage/',
    without: ['include_shared'],
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
    place: places.ofChanges,
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
    without: ['include_shared'],
    units: { cost: 'USD', revenue: 'USD', credits: 'USD' },
    list: 'rows',
    smaller: 'Narrower dates give fewer rows.',
    place: ({ id }) => ({ steps: ['closes'], search: { close: id } }),
  },
  {
    name: 'waste',
    title: 'Wasted money',
    method: 'post',
    path: '/api/waste/',
    units: { total_cost: 'USD', wasted: 'USD', wasted_at_most: 'USD', amount: 'USD', share: 'from 0 to 1' },
    smaller: '',
    place: places.ofWaste,
  },
  {
    name: 'next_steps',
    title: 'What is worth doing next',
    method: 'get',
    path: '/api/next-steps/',
    units: { amount: 'USD', amount_per_month: 'USD in 30 days' },
    smaller: '',
    place: () => ({ steps: [] }),
  },
  {
    name: 'credit_cliff',
    title: 'Margins without free credits',
    method: 'get',
    path: '/api/credit-cliff/',
    units: { credits_left: 'USD', revenue: 'USD', cost: 'USD', margin: 'USD', margin_pct: 'percent of revenue' },
    smaller: '',
    place: () => ({ steps: ['credits'] }),
  },
  {
    name: 'alerts',
    title: 'Kinds of alerts',
    method: 'get',
    path: '/api/alerts/',
    units: {},
    smaller: '',
    place: () => ({ steps: ['alerts'] }),
  },
  {
    name: 'firings',
    title: 'Alerts that have fired',
    method: 'get',
    path: '/api/alerts/firings/',
    units: { cost: 'USD', expected: 'USD', amount: 'USD', spent: 'USD', difference: 'USD' },
    list: 'firings',
    smaller: '`kind` and `state` give fewer.',
    place: () => ({ steps: ['alerts'] }),
  },
  {
    name: 'what_if',
    title: 'What if',
    method: 'post',
    path: '/api/prices/reprice/',
    about:
      'What would past days have cost with other models, prices, more cached input or another service tier? It changes no number. The answer has an `id`: ask `what_if_result` for what it found.',
    needs: ['assume'],
    without: ['dry_run', 'reread'],
    units: {},
    smaller: '',
    place: () => ({ steps: ['what-if'] }),
  },
  {
    name: 'what_if_result',
    title: 'The result of a what-if',
    method: 'get',
    path: '/api/prices/reprices/{id}/',
    units: {
      ...{ before: 'USD', after: 'USD', cost: 'USD', revenue: 'USD', margin_before: 'USD', margin_after: 'USD' },
      progress: 'from 0 to 1',
    },
    smaller: '',
    place: () => ({ steps: ['what-if'] }),
  },
  {
    name: 'tags',
    title: 'Tags',
    method: 'get',
    path: '/api/tags/',
    units: {},
    list: 'tags',
    smaller: '',
    place: () => ({ steps: [] }),
  },
  ...dimensionNames.map((name) => toNames(dimensions[name].plural)),
];

/** The names of a dimension. Providers have no page of their own. */
function toNames(name: Plural): Tool {
  return {
    name,
    title: `Names of ${name}`,
    method: 'get',
    path: `/api/${name}/`,
    units: {},
    list: 'rows',
    smaller: '`search` gives fewer names.',
    place: () => ({ steps: [name === 'providers' ? 'models' : name] }),
  };
}
