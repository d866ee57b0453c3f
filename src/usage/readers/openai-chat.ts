import type { Answerer } from './answerer.ts';
import {
  anthropicMessages,
  dashScopeUsage,
  mistralConversation,
  mistralUsage,
  openAiCompletions,
  openRouterUsage,
  perplexityUsage,
} from './sources.ts';
import { checkText, checkTotal, type SentTotals, sumOfSides, type TokenCounts, withReasoning } from './token-reader.ts';
import { type InputCounts, noInput, noneReported, noOutput, sumReported } from './usage-counts.ts';
import type { UsageObject } from './usage-object.ts';
import { paths, pathsInBothCases } from './usage-paths.ts';

const deepSeekUsage = 'https://api-docs.deepseek.com/api/create-chat-completion';
const moonshotUsage = 'https://platform.moonshot.ai/docs/api/chat';
const liteLlmUsage = 'https://github.com/BerriAI/litellm/blob/main/litellm/types/utils.py';
const aiSdk4Usage = 'https://v4.ai-sdk.dev/docs/reference/ai-sdk-core/generate-text';

const input = {
  total: [...paths(openAiCompletions, 'prompt_tokens'), ...paths(aiSdk4Usage, 'promptTokens')],
  cacheRead: [
    ...pathsInBothCases(openAiCompletions, 'prompt_tokens_details.cached_tokens'),
    ...paths(deepSeekUsage, 'prompt_cache_hit_tokens'),
    ...paths(liteLlmUsage, 'cache_read_input_tokens'),
    ...paths(mistralUsage, 'num_cached_tokens'),
    ...paths(moonshotUsage, 'cached_tokens'),
  ],
  cacheWrite: [
    ...pathsInBothCases(openAiCompletions, 'prompt_tokens_details.cache_write_tokens'),
    ...paths(liteLlmUsage, 'prompt_tokens_details.cache_creation_tokens', 'cache_creation_input_tokens'),
    ...paths(dashScopeUsage, 'prompt_tokens_details.cache_creation_input_tokens'),
  ],
  cacheWrite1h: [
    ...paths(liteLlmUsage, 'prompt_tokens_details.cache_creation_token_details.ephemeral_1h_input_tokens'),
    ...paths(dashScopeUsage, 'prompt_tokens_details.cache_creation.ephemeral_1h_input_tokens'),
    // Frameworks put them beside counts by OpenAI's names.
    ...paths(anthropicMessages, 'cache_creation.ephemeral_1h_input_tokens'),
  ],
  audio: [
    ...pathsInBothCases(openAiCompletions, 'prompt_tokens_details.audio_tokens'),
    ...paths(liteLlmUsage, 'prompt_tokens_details.audio'),
  ],
  image: pathsInBothCases(openAiCompletions, 'prompt_tokens_details.image_tokens'),
  video: pathsInBothCases(openRouterUsage, 'prompt_tokens_details.video_tokens'),
  cacheReadAudio: paths(liteLlmUsage, 'prompt_tokens_details.cached_tokens_details.audio_tokens'),
  cacheReadImage: paths(liteLlmUsage, 'prompt_tokens_details.cached_tokens_details.image_tokens'),
};
const output = {
  total: [...paths(openAiCompletions, 'completion_tokens'), ...paths(aiSdk4Usage, 'completionTokens')],
  reasoning: pathsInBothCases(openAiCompletions, 'completion_tokens_details.reasoning_tokens'),
  audio: [
    ...pathsInBothCases(openAiCompletions, 'completion_tokens_details.audio_tokens'),
    ...paths(liteLlmUsage, 'completion_tokens_details.audio'),
  ],
  image: pathsInBothCases(openAiCompletions, 'completion_tokens_details.image_tokens'),
};
const sides = { input, output };

const all = pathsInBothCases(openAiCompletions, 'total_tokens');
const inputText = pathsInBothCases(openAiCompletions, 'prompt_tokens_details.text_tokens');
const outputText = pathsInBothCases(openAiCompletions, 'completion_tokens_details.text_tokens');
/** Parts of the completion at its price, also the tokens that were predicted in vain. */
const predicted = ['accepted', 'rejected'].map((kind) =>
  pathsInBothCases(openAiCompletions, `completion_tokens_details.${kind}_prediction_tokens`),
);
const cacheMiss = paths(deepSeekUsage, 'prompt_cache_miss_tokens');
const writes5m = [
  ...paths(liteLlmUsage, 'prompt_tokens_details.cache_creation_token_details.ephemeral_5m_input_tokens'),
  ...paths(dashScopeUsage, 'prompt_tokens_details.cache_creation.ephemeral_5m_input_tokens'),
  ...paths(anthropicMessages, 'cache_creation.ephemeral_5m_input_tokens'),
];
/** Tokens that connectors add to the prompt of an agent, not included in `prompt_tokens`. */
const connectors = pathsInBothCases(mistralConversation, 'connector_tokens');
const onlyPerplexity = paths(perplexityUsage, 'citation_tokens', 'num_search_queries');
/** Reasoning of Perplexity's deep research. Neither the completion nor the total includes it. */
const reasoningBeside = paths(perplexityUsage, 'reasoning_tokens');

/** OpenAI's chat completions and copies (Mistral, DeepSeek, Groq, xAI, OpenRouter, LiteLLM): totals include parts. */
export function readOpenAiChat(usage: UsageObject, answerer: Answerer): TokenCounts | null {
  const prompt = usage.count(input.total);
  const completion = usage.count(output.total);
  if (noneReported(prompt, completion)) return null;

  const cacheRead = usage.count(input.cacheRead);
  const cacheWrite = usage.count(input.cacheWrite);
  const total = sumReported(prompt, usage.count(connectors));
  const sent = { input: total, output: completion, all: usage.number(all) };
  const media = {
    audio: usage.count(input.audio),
    image: usage.count(input.image),
    video: usage.count(input.video),
    cacheReadAudio: usage.count(input.cacheReadAudio),
    cacheReadImage: usage.count(input.cacheReadImage),
  };
  const cacheWrite1h = usage.count(input.cacheWrite1h);
  const made = readCompletion(usage, sent, answerer, cacheRead, cacheWrite);
  checkText(usage, inputText, total, media.audio, media.image, media.video);
  checkText(usage, cacheMiss, total, cacheRead);
  checkText(usage, writes5m, cacheWrite, cacheWrite1h);
  return {
    input: { ...noInput, total, totalAsSent: prompt, cacheRead, cacheWrite, cacheWrite1h, ...media },
    output: made,
    paths: sides,
  };
}

function readCompletion(
  usage: UsageObject,
  sent: SentTotals,
  answerer: Answerer,
  ...cached: readonly (InputCounts['cacheRead'] | undefined)[]
): TokenCounts['output'] {
  const audio = usage.count(output.audio);
  const image = usage.count(output.image);
  const reported = usage.count(output.reasoning);
  // Perplexity is recognised by its counts of citations or searches.
  const beside = usage.has(onlyPerplexity) ? usage.count(reasoningBeside) : undefined;
  if (beside !== undefined) {
    const total = sumReported(sent.output, beside);
    checkTotal(usage, all, sent, { total });
    return { ...noOutput, total, totalAsSent: sent.output, reasoning: beside, audio, image };
  }
  const reasoning = reported ?? (answerer.isGemini ? unreportedThoughts(sent, ...cached) : undefined);
  const read = withReasoning(sent, reasoning, answerer, true);
  if (reported === undefined && reasoning !== undefined) usage.accept(all);
  checkTotal(usage, all, sent, read);
  checkText(usage, outputText, read.total, audio, image);
  checkText(usage, outputText, read.total, audio, image, reasoning);
  usage.check(reasoningBeside, reasoning);
  const ofPredictions = sumReported(...predicted.map((list) => usage.number(list)));
  if ((ofPredictions ?? 0) > (read.total ?? 0)) for (const list of predicted) usage.dispute(list);
  return { ...noOutput, ...read, audio, image };
}

/**
 * Google's OpenAI endpoint counts Gemini's thoughts only in the total of both sides. If cached tokens are reported, the
 * excess is not read as thoughts, because it could be those tokens. Of any other model an excess is a contradiction.
 */
function unreportedThoughts(sent: SentTotals, ...cached: readonly (number | undefined)[]): number | undefined {
  const { input: prompt, output: completion, all: both } = sent;
  if (prompt === undefined || completion === undefined || both === undefined || !noneReported(...cached))
    return undefined;
  return both > prompt + completion ? both - sumOfSides(sent) : undefined;
}
