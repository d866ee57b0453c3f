/** How OpenAI writes a part of a line item, and the source that shows it. */
interface LineItemRule {
  readonly pattern: RegExp;
  readonly source: string;
}

const cookbook = 'https://github.com/openai/openai-cookbook/blob/main/examples/completions_usage_api.ipynb';
const reference = 'https://platform.openai.com/docs/api-reference/usage/costs';

/** The prefix of the model: the service tier. */
const tier: LineItemRule = { pattern: /^(?:priority|flex|batch|scale) \| /i, source: reference };

/** The suffix of the model: what is counted. "gpt-4o-2024-08-06, cached input", "gpt-5.4, output, long context". */
const counted: LineItemRule = { pattern: /,.*$/, source: cookbook };

/** The kind of content after the model: "gpt-image-1 image, output". */
const modality: LineItemRule = { pattern: / (?:text|image|audio|video)$/i, source: reference };

/** Names of tools and storage, which belong to no model: "web search tool calls", "assistants api | file search". */
const noModel: LineItemRule = { pattern: /[ |]/, source: cookbook };

/** A fine-tuned model: its calls name it ft:gpt-4o-2024-08-06:organization::id. */
const fineTuned: LineItemRule = { pattern: /^ft-/, source: cookbook };

/**
 * The model of a line item of OpenAI's costs; undefined for tools, storage and others. One line item sums up all
 * fine-tuned models of a base. No call matches it, so it keeps the invoice's own name.
 */
export function modelOfLineItem(lineItem: string): string | undefined {
  const name = lineItem.trim().replace(tier.pattern, '').replace(counted.pattern, '').replace(modality.pattern, '');
  if (fineTuned.pattern.test(name)) return name;
  return name === '' || noModel.pattern.test(name) ? undefined : name;
}
