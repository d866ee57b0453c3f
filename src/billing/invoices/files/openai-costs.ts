import { isJsonObject } from '../../../lib/json-object.ts';
import { type CostApi, readAmount, textOrNull } from './cost-pages.ts';

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

/*
 * How OpenAI writes the parts of a line item, as the reference
 * (https://platform.openai.com/docs/api-reference/usage/costs) and the cookbook show it
 * (https://github.com/openai/openai-cookbook/blob/main/examples/completions_usage_api.ipynb).
 */

/** By the reference, before the model: the service tier. */
const tier = /^(?:priority|flex|batch|scale) \| /i;
/** By the cookbook, after it: what is counted. "gpt-4o-2024-08-06, cached input", "gpt-5.4, output, long context". */
const counted = /,.*$/;
/** By the reference, the kind of content after the model: "gpt-image-1 image, output". */
const modality = / (?:text|image|audio|video)$/i;
/** By the cookbook, tools and storage, which belong to no model: "web search tool calls". */
const noModel = /[ |]/;
/** By the cookbook, a fine-tuned model: its calls name it ft:gpt-4o-2024-08-06:organization::id. */
const fineTuned = /^ft-/;

/**
 * The model of a line item of OpenAI's costs; undefined for tools, storage and others. One line item sums up all
 * fine-tuned models of a base. No call matches it, so it keeps the invoice's own name.
 */
export function modelOfLineItem(lineItem: string): string | undefined {
  const name = lineItem.trim().replace(tier, '').replace(counted, '').replace(modality, '');
  if (fineTuned.test(name)) return name;
  return name === '' || noModel.test(name) ? undefined : name;
}
