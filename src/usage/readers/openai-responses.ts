import type { Answerer } from './answerer.ts';
import { readAnthropic } from './anthropic.ts';
import { dashScopeUsage, openAiResponses, perplexityUsage } from './sources.ts';
import { checkText, checkTotal, type SentTotals, type TokenCounts, withReasoning } from './token-reader.ts';
import { noInput, noneReported, noOutput, sumReported } from './usage-counts.ts';
import type { UsageObject } from './usage-object.ts';
import { paths } from './usage-paths.ts';

const openAiRealtime = 'https://github.com/openai/openai-node/blob/v7.59.0/src/resources/realtime/realtime.ts';
/** `Usage` of the events `turn.completed`. */
const codexUsage = 'https://www.npmjs.com/package/@openai/codex-sdk';
const dashScopeMedia =
  'https://github.com/dashscope/dashscope-sdk-java/blob/main/src/main/java/com/alibaba/dashscope/aigc/multimodalconversation/MultiModalConversationUsage.java';
const langChainUsage =
  'https://python.langchain.com/api_reference/core/messages/langchain_core.messages.ai.UsageMetadata.html';

const input = {
  total: paths(openAiResponses, 'input_tokens'),
  cacheRead: [
    ...paths(openAiResponses, 'input_tokens_details.cached_tokens'),
    ...paths(langChainUsage, 'input_tokens_details.cache_read'),
    ...paths(openAiRealtime, 'input_token_details.cached_tokens'),
    ...paths(langChainUsage, 'input_token_details.cache_read'),
    ...paths(perplexityUsage, 'input_tokens_details.cache_read_input_tokens'),
    ...paths(openAiResponses, 'cached_tokens'),
    ...paths(codexUsage, 'cached_input_tokens'),
    ...paths(dashScopeUsage, 'prompt_tokens_details.cached_tokens'),
  ],
  cacheWrite: [
    ...paths(openAiResponses, 'input_tokens_details.cache_write_tokens'),
    ...paths(langChainUsage, 'input_tokens_details.cache_creation'),
    ...paths(openAiRealtime, 'input_token_details.cache_write_tokens'),
    ...paths(langChainUsage, 'input_token_details.cache_creation'),
    ...paths(perplexityUsage, 'input_tokens_details.cache_creation_input_tokens'),
    ...paths(dashScopeUsage, 'prompt_tokens_details.cache_creation_input_tokens'),
  ],
  cacheWrite1h: [
    ...paths(
      langChainUsage,
      'input_tokens_details.ephemeral_1h_input_tokens',
      'input_token_details.ephemeral_1h_input_tokens',
    ),
    ...paths(openAiResponses, 'input_tokens_details.cache_write_tokens_details.ttl_12h_tokens'),
    ...paths(dashScopeUsage, 'prompt_tokens_details.cache_creation.ephemeral_1h_input_tokens'),
  ],
  audio: [
    ...paths(openAiResponses, 'input_tokens_details.audio_tokens', 'input_tokens_details.audio'),
    ...paths(openAiRealtime, 'input_token_details.audio_tokens'),
    ...paths(langChainUsage, 'input_token_details.audio'),
  ],
  image: [
    ...paths(openAiRealtime, 'input_tokens_details.image_tokens', 'input_token_details.image_tokens'),
    ...paths(dashScopeMedia, 'image_tokens'),
  ],
  video: [
    ...paths(openAiRealtime, 'input_tokens_details.video_tokens', 'input_token_details.video_tokens'),
    ...paths(dashScopeMedia, 'video_tokens'),
  ],
  cacheReadAudio: paths(
    openAiRealtime,
    'input_tokens_details.cached_tokens_details.audio_tokens',
    'input_token_details.cached_tokens_details.audio_tokens',
  ),
  cacheReadImage: [
    ...paths(
      openAiRealtime,
      'input_tokens_details.cached_tokens_details.image_tokens',
      'input_token_details.cached_tokens_details.image_tokens',
    ),
    ...paths(openAiResponses, 'cached_tokens_details.cached_image_tokens'),
  ],
};
const output = {
  total: paths(openAiResponses, 'output_tokens'),
  reasoning: [
    ...paths(openAiResponses, 'output_tokens_details.reasoning_tokens'),
    ...paths(langChainUsage, 'output_tokens_details.reasoning', 'output_token_details.reasoning_tokens'),
    ...paths(langChainUsage, 'output_token_details.reasoning'),
    ...paths(codexUsage, 'reasoning_output_tokens'),
  ],
  audio: [
    ...paths(openAiResponses, 'output_tokens_details.audio_tokens', 'output_tokens_details.audio'),
    ...paths(openAiRealtime, 'output_token_details.audio_tokens'),
    ...paths(langChainUsage, 'output_token_details.audio'),
  ],
  image: paths(openAiRealtime, 'output_tokens_details.image_tokens', 'output_token_details.image_tokens'),
};
const sides = { input, output };

const all = paths(openAiResponses, 'total_tokens');
const inputText = paths(openAiRealtime, 'input_tokens_details.text_tokens', 'input_token_details.text_tokens');
const outputText = paths(openAiRealtime, 'output_tokens_details.text_tokens', 'output_token_details.text_tokens');
const cachedText = [
  ...paths(
    openAiRealtime,
    'input_tokens_details.cached_tokens_details.text_tokens',
    'input_token_details.cached_tokens_details.text_tokens',
  ),
  ...paths(openAiResponses, 'cached_tokens_details.cached_text_tokens'),
];
/** The usual lifetime of cache writes: 5 minutes (Anthropic), 30 minutes (OpenAI). */
const writes5m = [
  ...paths(
    langChainUsage,
    'input_tokens_details.ephemeral_5m_input_tokens',
    'input_token_details.ephemeral_5m_input_tokens',
  ),
  ...paths(openAiResponses, 'input_tokens_details.cache_write_tokens_details.ttl_30m_tokens'),
  ...paths(dashScopeUsage, 'prompt_tokens_details.cache_creation.ephemeral_5m_input_tokens'),
];
const onlyOpenAi = [
  ...paths(openAiResponses, 'input_tokens_details', 'input_token_details', 'output_token_details'),
  ...paths(dashScopeUsage, 'prompt_tokens_details'),
];
/** Counts that Anthropic's usage has none of. */
const partsOfOpenAi = [
  ...outputText,
  ...paths(dashScopeMedia, 'image_tokens', 'video_tokens'),
  ...paths(codexUsage, 'cached_input_tokens', 'reasoning_output_tokens'),
];

/** Shapes with `input_tokens` and `output_tokens`: Anthropic's messages, OpenAI's responses, LangChain's. */
export function readTokens(usage: UsageObject, answerer: Answerer): TokenCounts | null {
  const sent = { input: usage.count(input.total), output: usage.count(output.total), all: usage.number(all) };
  if (noneReported(sent.input, sent.output)) return null;
  const isOfOpenAi = usage.hasObject(onlyOpenAi) || usage.has(partsOfOpenAi);
  return isOfOpenAi ? readOpenAiResponse(usage, sent, answerer) : readAnthropic(usage, sent);
}

/** OpenAI's responses, images, transcriptions and realtime (`token_details`, as LangChain). Totals include parts. */
function readOpenAiResponse(usage: UsageObject, sent: SentTotals, answerer: Answerer): TokenCounts {
  const cacheWrite1h = usage.count(input.cacheWrite1h);
  const cacheWrite5m = usage.count(writes5m);
  // If LangChain reports cache writes by lifetime, it reports 0 for their sum.
  const named = usage.count(input.cacheWrite);
  const cacheWrite = named || sumReported(cacheWrite5m, cacheWrite1h);
  const cacheRead = usage.count(input.cacheRead);
  const media = {
    audio: usage.count(input.audio),
    image: usage.count(input.image),
    video: usage.count(input.video),
    cacheReadAudio: usage.count(input.cacheReadAudio),
    cacheReadImage: usage.count(input.cacheReadImage),
  };
  const made = {
    ...withReasoning(sent, usage.count(output.reasoning), answerer),
    audio: usage.count(output.audio),
    image: usage.count(output.image),
  };
  if (cacheWrite === named && cacheWrite !== sumReported(cacheWrite5m, cacheWrite1h)) usage.dispute(writes5m);
  checkTotal(usage, all, sent, made);
  checkText(usage, inputText, sent.input, media.audio, media.image, media.video);
  checkText(usage, cachedText, cacheRead, media.cacheReadAudio, media.cacheReadImage);
  checkText(usage, outputText, made.total, made.audio, made.image);
  checkText(usage, outputText, made.total, made.audio, made.image, made.reasoning);
  return {
    input: { ...noInput, total: sent.input, totalAsSent: sent.input, cacheRead, cacheWrite, cacheWrite1h, ...media },
    output: { ...noOutput, ...made },
    paths: sides,
  };
}
