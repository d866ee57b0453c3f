import { readGemini } from './gemini-usage.ts';
import {
  believed,
  type CountReader,
  type InputCounts,
  type JsonObject,
  noInput,
  noneReported,
  noOutput,
  type OutputCounts,
  ownObject,
  ownObjects,
  ownValue,
  type ReportedCounts,
  sumReported,
} from './usage-counts.ts';

/**
 * Reads a provider's own usage object and converts that provider's convention to one for all: totals include their
 * parts (D3.10). The shape is recognised by its fields, never by the call's provider, because gateways answer in each
 * other's shapes. Null when the object has no count in a known shape.
 */
export function readProviderUsage(usage: JsonObject, counts: CountReader): ReportedCounts | null {
  for (const read of [readGemini, readAiSdk, readBedrock, readOpenAiChat, readTokens, readCohere, readTotalOnly]) {
    const reported = read(usage, counts);
    if (reported !== null) return reported;
  }
  return null;
}

/**
 * The AI SDK's shape for the usage of any provider. Totals include their parts, except reasoning that the total of both
 * sides shows to be on top.
 */
function readAiSdk(usage: JsonObject, counts: CountReader): ReportedCounts | null {
  const inputDetails = ownObject(usage, 'inputTokenDetails');
  const outputDetails = ownObject(usage, 'outputTokenDetails');
  const reasoning = counts.read(outputDetails, 'reasoningTokens') ?? counts.read(usage, 'reasoningTokens');
  const cacheRead = counts.read(inputDetails, 'cacheReadTokens') ?? counts.read(usage, 'cachedInputTokens');
  const cacheWrite = counts.read(inputDetails, 'cacheWriteTokens');
  if (noneReported(reasoning, cacheRead, cacheWrite)) return null;

  const input = counts.read(usage, 'inputTokens');
  const sent = { input, output: counts.read(usage, 'outputTokens'), all: counts.read(usage, 'totalTokens') };
  return {
    input: { ...noInput, total: input, totalAsSent: input, cacheRead, cacheWrite },
    output: { ...noOutput, ...withReasoning(sent, reasoning) },
  };
}

/** Bedrock's Converse: `inputTokens` excludes both cache counts. */
function readBedrock(usage: JsonObject, counts: CountReader): ReportedCounts | null {
  const input = counts.read(usage, 'inputTokens');
  const output = counts.read(usage, 'outputTokens');
  if (noneReported(input, output)) return null;

  const cacheRead = counts.read(usage, 'cacheReadInputTokens', 'cacheReadInputTokenCount');
  const cacheWrite = counts.read(usage, 'cacheWriteInputTokens', 'cacheWriteInputTokenCount');
  return {
    input: {
      ...noInput,
      total: sumReported(input, cacheRead, cacheWrite),
      totalAsSent: input,
      cacheRead,
      cacheWrite,
      cacheWrite1h: readBedrockHourWrites(usage, counts),
    },
    output: { ...noOutput, total: output, totalAsSent: output },
  };
}

/** Bedrock's `cacheDetails` splits its cache writes by lifetime: `[{ ttl: '1h', inputTokens: 100 }]`. */
function readBedrockHourWrites(usage: JsonObject, counts: CountReader): number | undefined {
  let hourWrites: number | undefined;
  for (const detail of ownObjects(usage, 'cacheDetails')) {
    if (ownValue(detail, 'ttl') === '1h') hourWrites = sumReported(hourWrites, counts.read(detail, 'inputTokens'));
  }
  return hourWrites;
}

/**
 * OpenAI's chat completions and APIs that copy them (Mistral, DeepSeek, Groq, OpenRouter, LiteLLM): totals include
 * their parts.
 */
function readOpenAiChat(usage: JsonObject, counts: CountReader): ReportedCounts | null {
  const prompt = counts.read(usage, 'prompt_tokens');
  const completion = counts.read(usage, 'completion_tokens');
  if (noneReported(prompt, completion)) return null;

  const input = ownObject(usage, 'prompt_tokens_details');
  const output = ownObject(usage, 'completion_tokens_details');
  const cacheRead =
    counts.read(input, 'cached_tokens') ??
    counts.read(usage, 'prompt_cache_hit_tokens', 'cache_read_input_tokens', 'num_cached_tokens', 'cached_tokens');
  const cacheWrite =
    counts.read(input, 'cache_write_tokens', 'cache_creation_tokens') ??
    counts.read(usage, 'cache_creation_input_tokens');
  const sent = { input: prompt, output: completion, all: counts.read(usage, 'total_tokens') };
  const reasoning = counts.read(output, 'reasoning_tokens');
  const onTop = readPerplexityReasoning(usage, counts);
  return {
    input: {
      ...noInput,
      total: prompt,
      totalAsSent: prompt,
      cacheRead,
      cacheWrite,
      cacheWrite1h: readHourWrites(ownObject(input, 'cache_creation_token_details'), counts),
      ...readInputModalities(input, counts),
    },
    output: {
      ...(onTop !== undefined
        ? { total: sumReported(completion, onTop), totalAsSent: completion, reasoning: onTop }
        : withReasoning(sent, reasoning ?? unreportedThoughts(sent, cacheRead, cacheWrite))),
      ...readOutputModalities(output, counts),
    },
  };
}

/**
 * Reasoning tokens of Perplexity, which neither `completion_tokens` nor the total includes. Perplexity is recognised by
 * its counts of citations or searches.
 */
function readPerplexityReasoning(usage: JsonObject, counts: CountReader): number | undefined {
  const isPerplexity = ['citation_tokens', 'num_search_queries'].some((name) => Object.hasOwn(usage, name));
  return isPerplexity ? counts.read(usage, 'reasoning_tokens') : undefined;
}

/** The counts that a provider sent for each side and for both together. */
type SentTotals = { input: number | undefined; output: number | undefined; all: number | undefined };

/**
 * The completion and its reasoning. Usually the completion count includes reasoning. xAI and some gateways to Gemini
 * use the same shape with reasoning on top: the total of both sides shows that, or, without a total, a reasoning count
 * larger than the completion.
 */
function withReasoning(
  sent: SentTotals,
  reasoning: number | undefined,
): Pick<OutputCounts, 'total' | 'totalAsSent' | 'reasoning'> {
  const { input = 0, output, all } = sent;
  const isOnTop =
    reasoning !== undefined &&
    reasoning > 0 &&
    output !== undefined &&
    (all === undefined ? reasoning > output : all === input + output + reasoning);
  return { total: isOnTop ? output + reasoning : output, totalAsSent: output, reasoning };
}

/**
 * Google's OpenAI endpoint counts Gemini's thoughts only in the total of both sides. With cached tokens reported, the
 * excess is not read as thoughts, because it could be those.
 */
function unreportedThoughts(
  { input, output, all }: SentTotals,
  ...cached: readonly (number | undefined)[]
): number | undefined {
  if (input === undefined || output === undefined || all === undefined || !noneReported(...cached)) return undefined;
  return all > input + output ? all - input - output : undefined;
}

/**
 * Shapes with `input_tokens` and `output_tokens`: Anthropic's messages, OpenAI's responses, and LangChain's for every
 * provider.
 */
function readTokens(usage: JsonObject, counts: CountReader): ReportedCounts | null {
  const input = counts.read(usage, 'input_tokens');
  const output = counts.read(usage, 'output_tokens');
  if (noneReported(input, output)) return null;

  const isOpenAi = ['input_tokens_details', 'input_token_details', 'output_token_details'].some(
    (name) => ownObject(usage, name) !== undefined,
  );
  return isOpenAi
    ? readOpenAiResponse(usage, { input, output, all: counts.read(usage, 'total_tokens') }, counts)
    : readAnthropic(usage, { input, output }, counts);
}

/**
 * Anthropic's messages. `input_tokens` excludes both cache counts; `output_tokens` includes thinking. Neither includes
 * compactions, which are counted in `iterations`.
 */
function readAnthropic(
  usage: JsonObject,
  sent: { input: number | undefined; output: number | undefined },
  counts: CountReader,
): ReportedCounts {
  const compactions = ownObjects(usage, 'iterations').filter((part) => ownValue(part, 'type') === 'compaction');
  const samplings = [usage, ...compactions].map((part) => readSampling(part, counts));
  const sum = (key: keyof Sampling) => believed(sumReported(...samplings.map((sampling) => sampling[key])));
  const [cacheRead, cacheWrite] = [sum('cacheRead'), sum('cacheWrite')];
  return {
    input: {
      ...noInput,
      total: sumReported(sum('input'), cacheRead, cacheWrite),
      totalAsSent: sent.input,
      cacheRead,
      cacheWrite,
      cacheWrite1h: sum('cacheWrite1h'),
    },
    output: { ...noOutput, total: sum('output'), totalAsSent: sent.output, reasoning: sum('reasoning') },
  };
}

type Sampling = ReturnType<typeof readSampling>;

/**
 * The counts of one sampling by Anthropic: the answer to the request, or a compaction that summarises the conversation
 * before it.
 */
function readSampling(usage: JsonObject, counts: CountReader) {
  const writesByLifetime = ownObject(usage, 'cache_creation');
  const cacheWrite1h = readHourWrites(writesByLifetime, counts);
  const cacheWrite5m = counts.read(writesByLifetime, 'ephemeral_5m_input_tokens');
  return {
    input: counts.read(usage, 'input_tokens'),
    cacheRead: counts.read(usage, 'cache_read_input_tokens'),
    cacheWrite: counts.read(usage, 'cache_creation_input_tokens') ?? sumReported(cacheWrite5m, cacheWrite1h),
    cacheWrite1h,
    output: counts.read(usage, 'output_tokens'),
    reasoning: counts.read(ownObject(usage, 'output_tokens_details'), 'thinking_tokens', 'reasoning_tokens'),
  };
}

function readHourWrites(writesByLifetime: JsonObject | undefined, counts: CountReader): number | undefined {
  return counts.read(writesByLifetime, 'ephemeral_1h_input_tokens');
}

/**
 * OpenAI's responses, images, transcriptions and realtime (which uses `token_details`, as LangChain does): totals
 * include their parts.
 */
function readOpenAiResponse(usage: JsonObject, sent: SentTotals, counts: CountReader): ReportedCounts {
  const input = ownObject(usage, 'input_tokens_details') ?? ownObject(usage, 'input_token_details');
  const output = ownObject(usage, 'output_tokens_details') ?? ownObject(usage, 'output_token_details');
  const cacheWrite1h = readHourWrites(input, counts);
  const cacheWrite5m = counts.read(input, 'ephemeral_5m_input_tokens');
  // LangChain reports 0 cache writes when it reports them by lifetime.
  const cacheWrite =
    counts.read(input, 'cache_write_tokens', 'cache_creation') || sumReported(cacheWrite5m, cacheWrite1h);
  return {
    input: {
      ...noInput,
      total: sent.input,
      totalAsSent: sent.input,
      cacheRead: counts.read(input, 'cached_tokens', 'cache_read'),
      cacheWrite,
      cacheWrite1h,
      ...readInputModalities(input, counts),
    },
    output: {
      ...withReasoning(sent, counts.read(output, 'reasoning_tokens', 'reasoning')),
      ...readOutputModalities(output, counts),
    },
  };
}

/** Cohere's two pairs of counts. Cohere bills `billed_units`, so those come first. */
function readCohere(usage: JsonObject, counts: CountReader): ReportedCounts | null {
  for (const name of ['billed_units', 'tokens']) {
    const units = ownObject(usage, name);
    const input = counts.read(units, 'input_tokens');
    const output = counts.read(units, 'output_tokens');
    if (noneReported(input, output)) continue;
    return {
      input: { ...noInput, total: input, totalAsSent: input },
      output: { ...noOutput, total: output, totalAsSent: output },
    };
  }
  return null;
}

/** Voyage and other APIs that only embed: all tokens are input. */
function readTotalOnly(usage: JsonObject, counts: CountReader): ReportedCounts | null {
  const total = counts.read(usage, 'total_tokens');
  return total === undefined ? null : { input: { ...noInput, total, totalAsSent: total }, output: noOutput };
}

function readInputModalities(
  details: JsonObject | undefined,
  counts: CountReader,
): Pick<InputCounts, 'audio' | 'image' | 'video' | 'cacheReadAudio' | 'cacheReadImage'> {
  const cached = ownObject(details, 'cached_tokens_details');
  return {
    audio: counts.read(details, 'audio_tokens', 'audio'),
    image: counts.read(details, 'image_tokens'),
    video: counts.read(details, 'video_tokens'),
    cacheReadAudio: counts.read(cached, 'audio_tokens'),
    cacheReadImage: counts.read(cached, 'image_tokens'),
  };
}

function readOutputModalities(
  details: JsonObject | undefined,
  counts: CountReader,
): Pick<OutputCounts, 'audio' | 'image' | 'video'> {
  return {
    audio: counts.read(details, 'audio_tokens', 'audio'),
    image: counts.read(details, 'image_tokens'),
    video: undefined,
  };
}
