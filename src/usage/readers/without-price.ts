import {
  bedrockMetrics,
  mistralOcr,
  openAiCompletions,
  openRouterCost,
  openRouterUsage,
  perplexityUsage,
  replicatePrediction,
  xAiToolUsage,
} from './sources.ts';
import { pathsWithoutPrice } from './usage-paths.ts';

const openAiAgents = 'https://github.com/openai/openai-agents-python/blob/v0.24.0/src/agents/usage.py';
const groqUsage = 'https://github.com/groq/groq-typescript/blob/v1.4.0/src/resources/completions.ts';

/** Seconds and milliseconds that the provider took. A job of Replicate that counts what it made is charged by that. */
pathsWithoutPrice(replicatePrediction, 'predict_time', 'total_time', 'tokens_per_second', 'time_to_first_token');
pathsWithoutPrice(groqUsage, 'queue_time', 'prompt_time', 'completion_time', 'total_time');
/** Where Groq's hardware held the cached tokens, which the usage counts. */
pathsWithoutPrice(groqUsage, 'dram_cached_tokens', 'sram_cached_tokens');
pathsWithoutPrice(bedrockMetrics, 'invocationLatency', 'firstByteLatency');

/** Parts of the completion at the completion's price. */
pathsWithoutPrice(
  openAiCompletions,
  'completion_tokens_details.accepted_prediction_tokens',
  'completion_tokens_details.rejected_prediction_tokens',
  'completionTokensDetails.acceptedPredictionTokens',
  'completionTokensDetails.rejectedPredictionTokens',
);

/** Agents of OpenAI count their requests; a span of a call is one. */
pathsWithoutPrice(openAiAgents, 'requests');

/** The size of the document; its pages are charged. */
pathsWithoutPrice(mistralOcr, 'doc_size_bytes', 'docSizeBytes');

/** The context after the last call of a tool, part of the input. */
pathsWithoutPrice(xAiToolUsage, 'context_details.input_tokens', 'context_details.output_tokens');

/** Numbers of tool calls. Calls with a price are counted by their own paths. */
pathsWithoutPrice(
  openRouterUsage,
  'server_tool_use_details.tool_calls_requested',
  'server_tool_use_details.tool_calls_executed',
  'serverToolUseDetails.toolCallsRequested',
  'serverToolUseDetails.toolCallsExecuted',
);

/** Parts of a cost whose total is read. */
pathsWithoutPrice(
  perplexityUsage,
  'cost.input_tokens_cost',
  'cost.output_tokens_cost',
  'cost.reasoning_tokens_cost',
  'cost.citation_tokens_cost',
  'cost.search_queries_cost',
  'cost.request_cost',
  'cost.input_cost',
  'cost.output_cost',
  'cost.cache_creation_cost',
  'cost.cache_read_cost',
  'cost.tool_calls_cost',
);
pathsWithoutPrice(
  openRouterCost,
  'cost_details.upstream_inference_prompt_cost',
  'cost_details.upstream_inference_completions_cost',
  'cost_details.server_tool_cost',
  'costDetails.upstreamInferencePromptCost',
  'costDetails.upstreamInferenceCompletionsCost',
  'costDetails.serverToolCost',
);
