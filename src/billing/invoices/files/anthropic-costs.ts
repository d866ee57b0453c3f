import { type CostApi, readAmount, textOrNull } from './cost-pages.ts';

/**
 * Pages of `GET /v1/organizations/cost_report`: buckets of one UTC day, with amounts in cents as decimal text: "123.45"
 * is $1.2345. https://platform.claude.com/docs/en/api/admin/cost_report
 */
export const anthropicCosts: CostApi = {
  name: 'anthropic-costs',
  provider: 'anthropic',
  hint: 'save the answers of GET /v1/organizations/cost_report?group_by[]=description',
  spanOf: ({ starting_at: start, ending_at: end }) => {
    const [from, to] = [start, end].map((time) => (typeof time === 'string' ? Date.parse(time) : Number.NaN));
    return from === undefined || to === undefined || Number.isNaN(from) || Number.isNaN(to) ? undefined : { from, to };
  },
  read: (result) => {
    const names = [
      ...(['description', 'model', 'cost_type', 'token_type', 'service_tier', 'context_window'] as const),
      ...(['inference_geo', 'speed', 'workspace_id'] as const),
    ];
    return {
      amount: readAmount(result.amount, result.currency, { inCents: true }),
      // Null when the report is not grouped by description, and for web searches, code execution and sessions.
      model: textOrNull(result.model) ?? undefined,
      description: textOrNull(result.description) ?? textOrNull(result.cost_type) ?? undefined,
      identity: names.map((name) => textOrNull(result[name])),
    };
  },
};
