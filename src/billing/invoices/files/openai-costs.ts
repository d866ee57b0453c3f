import { isJsonObject } from '../../../usage/usage-counts.ts';
import { type CostApi, readAmount, textOrNull } from './cost-pages.ts';
import { modelOfLineItem } from './line-items.ts';

const secondMs = 1_000;

/**
 * Pages of `GET /v1/organization/costs`: buckets of one UTC day, with amounts in USD.
 * https://platform.openai.com/docs/api-reference/usage/costs, and `OrganizationCostsResult` in the package openai
 * 7.57.0
 */
export const openAiCosts: CostApi = {
  name: 'openai-costs',
  provider: 'openai',
  hint: 'save the answers of GET /v1/organization/costs?group_by=line_item',
  spanOf: ({ start_time: start, end_time: end }) =>
    typeof start === 'number' && typeof end === 'number' ? { from: start * secondMs, to: end * secondMs } : undefined,
  read: (result) => {
    const { value, currency } = isJsonObject(result.amount) ? result.amount : {};
    const lineItem = textOrNull(result.line_item);
    const names = ['project_id', 'api_key_id', 'user_id', 'api_source', 'organization_id'] as const;
    return {
      amount: readAmount(value, currency, { inCents: false }),
      model: lineItem === null ? undefined : modelOfLineItem(lineItem),
      description: lineItem ?? undefined,
      identity: [lineItem, ...names.map((name) => textOrNull(result[name]))],
    };
  },
};
