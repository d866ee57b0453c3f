import { dollar, parseMoney } from '../../lib/money.ts';
import type { UnitName } from '../../lib/units.ts';
import {
  anthropicMessages,
  cohereMeta,
  googleInteractions,
  mistralConversation,
  mistralOcr,
  mistralUsage,
  openAiResponses,
  openRouterUsage,
  perplexityUsage,
  replicatePrediction,
  xAiToolUsage,
} from './sources.ts';
import { sumReported } from './usage-counts.ts';
import type { UsageObject } from './usage-object.ts';
import { markPaths, type Paths, paths, pathsInBothCases, pathsWithoutPrice } from './usage-paths.ts';

const openAiTranscriptions = 'https://github.com/openai/openai-node/blob/v7.59.0/src/resources/audio/transcriptions.ts';
const bedrockGuardrails = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_GuardrailUsage.html';
const xAiUsage = 'https://github.com/xai-org/xai-proto/blob/main/proto/xai/api/v1/usage.proto';

/** All paths of one row have the same count; rows of the same unit are added up. */
type UnitRow = readonly [unit: UnitName, list: Paths];

/** xAI's counts of one tool, with the names of the API and of the SDK. */
const xAiTool = (call: string, tool: string, declare = paths): Paths =>
  declare(
    xAiToolUsage,
    `server_side_tool_usage_details.${call}`,
    `server_side_tool_usage_details.${tool}`,
    `server_side_tool_usage.${tool}`,
  );

const xAiRows: readonly UnitRow[] = [
  ['web_searches', xAiTool('web_search_calls', 'SERVER_SIDE_TOOL_WEB_SEARCH')],
  ['web_searches', xAiTool('image_search_calls', 'SERVER_SIDE_TOOL_IMAGE_SEARCH')],
  ['x_searches', xAiTool('x_search_calls', 'SERVER_SIDE_TOOL_X_SEARCH')],
  ['file_searches', xAiTool('file_search_calls', 'SERVER_SIDE_TOOL_COLLECTIONS_SEARCH')],
  ['attachment_searches', xAiTool('document_search_calls', 'SERVER_SIDE_TOOL_ATTACHMENT_SEARCH')],
  ['code_sessions', xAiTool('code_interpreter_calls', 'SERVER_SIDE_TOOL_CODE_EXECUTION')],
  ['images', xAiTool('image_generation_calls', 'SERVER_SIDE_TOOL_IMAGE_GENERATION')],
];

/** Where usage objects count units. */
const unitRows: readonly UnitRow[] = [
  ...xAiRows,
  [
    'web_searches',
    [
      ...paths(anthropicMessages, 'server_tool_use.web_search_requests'),
      ...paths(
        openRouterUsage,
        'serverToolUse.webSearchRequests',
        'server_tool_use_details.web_search_requests',
        'serverToolUseDetails.webSearchRequests',
      ),
    ],
  ],
  ['web_searches', paths(mistralConversation, 'connectors.web_search')],
  ['web_searches', paths(perplexityUsage, 'tool_calls_details.search_web.invocation')],
  ['web_fetches', paths(perplexityUsage, 'tool_calls_details.fetch_url.invocation')],
  ['web_fetches', paths(anthropicMessages, 'server_tool_use.web_fetch_requests')],
  ['code_sessions', paths(mistralConversation, 'connectors.code_interpreter')],
  ['images', paths(mistralConversation, 'connectors.image_generation')],
  ['images', pathsInBothCases(cohereMeta, 'billed_units.images')],
  ['searched_sources', paths(xAiUsage, 'num_sources_used')],
  ['search_queries', paths(perplexityUsage, 'num_search_queries')],
  ['citation_tokens', paths(perplexityUsage, 'citation_tokens')],
  ['search_units', pathsInBothCases(cohereMeta, 'billed_units.search_units')],
  ['classifications', pathsInBothCases(cohereMeta, 'billed_units.classifications')],
  ['audio_seconds', paths(openAiTranscriptions, 'seconds')],
  ['audio_seconds', pathsInBothCases(mistralUsage, 'prompt_audio_seconds')],
  ['pages', pathsInBothCases(mistralOcr, 'pages_processed')],
  ['guardrail_topic_units', paths(bedrockGuardrails, 'topicPolicyUnits')],
  ['guardrail_content_units', paths(bedrockGuardrails, 'contentPolicyUnits', 'contentFilter.textUnits')],
  ['guardrail_content_units', paths(bedrockGuardrails, 'promptAttack.textUnits')],
  ['guardrail_word_units', paths(bedrockGuardrails, 'wordPolicyUnits')],
  [
    'guardrail_sensitive_units',
    paths(bedrockGuardrails, 'sensitiveInformationPolicyUnits', 'sensitiveInformation.textUnits'),
  ],
  ['guardrail_grounding_units', paths(bedrockGuardrails, 'contextualGroundingPolicyUnits')],
  ['guardrail_image_units', paths(bedrockGuardrails, 'contentPolicyImageUnits')],
  ['guardrail_reasoning_units', paths(bedrockGuardrails, 'automatedReasoningPolicyUnits')],
  ['images', paths(replicatePrediction, 'image_count')],
  ['video_seconds', paths(replicatePrediction, 'video_output_duration_seconds')],
];

/** The sensitive information that regular expressions find is free. */
pathsWithoutPrice(bedrockGuardrails, 'sensitiveInformationPolicyFreeUnits');

/** The searches that OpenAI bills, of which an answer can show more. */
const billedSearches = paths(openAiResponses, 'web_search.num_requests');

/** Gemini's grounding in interactions: `[{ type: 'google_search', count: 3 }]`. */
const grounding = paths(googleInteractions, 'grounding_tool_count');
const groundingTool = paths(googleInteractions, 'type');
const groundingCount = paths(googleInteractions, 'count');

/** How many tool calls xAI's server made. Calls of the free kinds below cost only tokens. */
const xAiCalls = paths(xAiToolUsage, 'num_server_side_tools_used');
const xAiFreeCalls: readonly Paths[] = [
  xAiTool('mcp_calls', 'SERVER_SIDE_TOOL_MCP', pathsWithoutPrice),
  xAiTool('view_image_calls', 'SERVER_SIDE_TOOL_VIEW_IMAGE', pathsWithoutPrice),
  xAiTool('view_x_video_calls', 'SERVER_SIDE_TOOL_VIEW_X_VIDEO', pathsWithoutPrice),
];

const isOfUnits = markPaths([...unitRows.map(([, list]) => list), ...xAiFreeCalls, grounding].flat());

/** Counts in units of 1e-12, and their paths. */
export type UnitCounts = Map<UnitName, { readonly count: bigint; readonly paths: Paths }>;

/** The units that a usage object counts (D26.1); undefined if it counts none. */
export function readUnits(usage: UsageObject): UnitCounts | undefined {
  const searches = usage.amount(billedSearches);
  if (searches === undefined && !usage.hasNumberIn(isOfUnits)) return undefined;
  const units: UnitCounts = new Map();
  // Also 0: it says that none of the searches in the answer is billed.
  if (searches !== undefined) units.set('web_searches', { count: toUnits(searches), paths: billedSearches });
  const add = (unit: UnitName, amount: number | undefined, list: Paths) => {
    if (amount === undefined || amount === 0) return;
    const known = units.get(unit);
    units.set(unit, { count: (known?.count ?? 0n) + toUnits(amount), paths: [...(known?.paths ?? []), ...list] });
  };
  for (const [unit, list] of unitRows) add(unit, usage.amount(list), list);
  if (usage.has(grounding)) addGrounding(usage, add);
  const calls = [...xAiRows.map(([, list]) => list), ...xAiFreeCalls].map((list) => usage.amount(list));
  usage.check(xAiCalls, sumReported(...calls));
  return units;
}

/** Searches are charged by prompt or by search, as the model is; see `countGrounding` of `answer-units.ts`. */
function addGrounding(
  usage: UsageObject,
  add: (unit: UnitName, amount: number | undefined, list: Paths) => void,
): void {
  let hasSearched = false;
  for (const item of usage.items(grounding)) {
    const tool = item.value(groundingTool);
    if (tool === 'google_search') {
      const searches = item.amount(groundingCount);
      add('grounded_queries', searches, grounding);
      hasSearched ||= (searches ?? 0) > 0;
    } else if (tool === 'google_maps') add('maps_prompts', item.amount(groundingCount), grounding);
  }
  if (hasSearched) add('grounded_prompts', 1, grounding);
}

/** A count in units of 1e-12, rounded half-even. */
export const toUnits = (count: number): bigint =>
  Number.isInteger(count) ? BigInt(count) * dollar : (parseMoney(count) ?? 0n);
