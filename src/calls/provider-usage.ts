/**
 * What a provider's own usage object says, each by its provider's convention, brought to one: totals that include their parts (D3.10).
 *
 * A shape is told by its fields, never by the call's provider: gateways answer in each other's shapes.
 */

/** An object of the posted JSON. Only own properties are read, so `__proto__` is an ordinary key (D3.4). */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whole tokens of the prompt's side; undefined where not reported. */
export type InputCounts = {
  /** The whole prompt: plain, cached, cache-write and every modality. */
  total: number | undefined;
  /** The count that the provider sent for the prompt, where its convention leaves parts out; else the same as `total`. */
  totalAsSent: number | undefined;
  /** Read from the cache, part of `total`. */
  cacheRead: number | undefined;
  /** Written to the cache for any lifetime, part of `total`. */
  cacheWrite: number | undefined;
  /** Written to the cache for an hour, part of `cacheWrite`. */
  cacheWrite1h: number | undefined;
  /** Of each modality, cached or not, part of `total`. */
  audio: number | undefined;
  image: number | undefined;
  video: number | undefined;
  /** Of each modality and read from the cache, part of `cacheRead`. */
  cacheReadAudio: number | undefined;
  cacheReadImage: number | undefined;
};

/** Whole tokens of the completion's side; undefined where not reported. */
export type OutputCounts = {
  /** The whole completion: visible text, reasoning and every modality. */
  total: number | undefined;
  /** The count that the provider sent for the completion, where its convention leaves parts out; else the same as `total`. */
  totalAsSent: number | undefined;
  /** Parts of `total`. */
  reasoning: number | undefined;
  audio: number | undefined;
  image: number | undefined;
  video: number | undefined;
};

export type ReportedCounts = { input: InputCounts; output: OutputCounts };

/** The greatest token count that is believed (D3.4). */
const maxTokens = 1_000_000_000;

/** Reads token counts out of posted JSON and remembers whether it met one that can't be used. */
export class CountReader {
  /** Whether a count was present but no whole number from 0 to 10⁹ (D3.4: ignored, counted in coverage). */
  hasUnusableCounts = false;

  /** The first of the named counts that can be used. */
  read(source: JsonObject | undefined, ...names: readonly string[]): number | undefined {
    if (source === undefined) return undefined;
    for (const name of names) {
      const value = ownValue(source, name);
      if (value === undefined || value === null) continue;
      // Adding 0 turns -0, which JSON can hold, into 0.
      if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxTokens) return value + 0;
      this.hasUnusableCounts = true;
    }
    return undefined;
  }
}

/** An own property's value, or undefined. */
export function ownValue(source: JsonObject, name: string): unknown {
  return Object.hasOwn(source, name) ? source[name] : undefined;
}

/** An own property's value if it is a JSON object. */
export function ownObject(source: JsonObject | undefined, name: string): JsonObject | undefined {
  if (source === undefined) return undefined;
  const value = ownValue(source, name);
  return isJsonObject(value) ? value : undefined;
}

/** Reads a provider's usage object; null when it reports no count in any known shape. */
export function readProviderUsage(usage: JsonObject, counts: CountReader): ReportedCounts | null {
  return (
    readGemini(usage, counts) ??
    readBedrock(usage, counts) ??
    readOpenAiChat(usage, counts) ??
    readTokens(usage, counts)
  );
}

/** Gemini's `usageMetadata`: the prompt includes cached tokens but not tool use; candidates don't include thoughts. */
function readGemini(usage: JsonObject, counts: CountReader): ReportedCounts | null {
  const prompt = counts.read(usage, 'promptTokenCount');
  const toolUse = counts.read(usage, 'toolUsePromptTokenCount');
  // The Live API says `response…` where the others say `candidates…`.
  const candidates = counts.read(usage, 'candidatesTokenCount', 'responseTokenCount');
  const thoughts = counts.read(usage, 'thoughtsTokenCount');
  const cached = counts.read(usage, 'cachedContentTokenCount');
  if (noneReported(prompt, toolUse, candidates, thoughts, cached)) return null;

  const inputModalities = readModalities(usage, ['promptTokensDetails', 'toolUsePromptTokensDetails'], counts);
  const cachedModalities = readModalities(usage, ['cacheTokensDetails'], counts);
  const outputModalities = readModalities(usage, ['candidatesTokensDetails', 'responseTokensDetails'], counts);
  return {
    input: {
      ...noInput,
      total: sumReported(prompt, toolUse),
      totalAsSent: prompt,
      cacheRead: cached,
      ...inputModalities,
      cacheReadAudio: cachedModalities.audio,
      cacheReadImage: cachedModalities.image,
    },
    output: {
      total: sumReported(candidates, thoughts),
      totalAsSent: candidates,
      reasoning: thoughts,
      ...outputModalities,
    },
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

/** OpenAI's chat completions, and all that copy them (Mistral, DeepSeek, Groq, OpenRouter, LiteLLM): totals include their parts. */
function readOpenAiChat(usage: JsonObject, counts: CountReader): ReportedCounts | null {
  const prompt = counts.read(usage, 'prompt_tokens');
  const completion = counts.read(usage, 'completion_tokens');
  if (noneReported(prompt, completion)) return null;

  const input = ownObject(usage, 'prompt_tokens_details');
  const output = ownObject(usage, 'completion_tokens_details');
  const reasoning = counts.read(output, 'reasoning_tokens');
  return {
    input: {
      ...noInput,
      total: prompt,
      totalAsSent: prompt,
      cacheRead:
        counts.read(input, 'cached_tokens') ??
        counts.read(usage, 'prompt_cache_hit_tokens', 'cache_read_input_tokens', 'num_cached_tokens', 'cached_tokens'),
      cacheWrite:
        counts.read(input, 'cache_write_tokens', 'cache_creation_tokens') ??
        counts.read(usage, 'cache_creation_input_tokens'),
      ...readInputModalities(input, counts),
    },
    output: {
      total: includesReasoning(usage, { prompt, completion, reasoning }, counts)
        ? completion
        : sumReported(completion, reasoning),
      totalAsSent: completion,
      reasoning,
      ...readOutputModalities(output, counts),
    },
  };
}

/** xAI leaves reasoning out of `completion_tokens`, in OpenAI's shape; its total gives it away. */
function includesReasoning(
  usage: JsonObject,
  sent: { prompt: number | undefined; completion: number | undefined; reasoning: number | undefined },
  counts: CountReader,
): boolean {
  const { prompt = 0, completion = 0, reasoning = 0 } = sent;
  return reasoning === 0 || counts.read(usage, 'total_tokens') !== prompt + completion + reasoning;
}

/** The two shapes of `input_tokens` and `output_tokens`: Anthropic's messages and OpenAI's responses. */
function readTokens(usage: JsonObject, counts: CountReader): ReportedCounts | null {
  const input = counts.read(usage, 'input_tokens');
  const output = counts.read(usage, 'output_tokens');
  if (noneReported(input, output)) return null;

  const isOpenAi = ['input_tokens_details', 'input_token_details'].some((name) => ownObject(usage, name) !== undefined);
  return isOpenAi
    ? readOpenAiResponse(usage, { input, output }, counts)
    : readAnthropic(usage, { input, output }, counts);
}

/** Anthropic's messages: `input_tokens` excludes both cache counts; `output_tokens` includes thinking. */
function readAnthropic(
  usage: JsonObject,
  sent: { input: number | undefined; output: number | undefined },
  counts: CountReader,
): ReportedCounts {
  const cacheRead = counts.read(usage, 'cache_read_input_tokens');
  const writesByLifetime = ownObject(usage, 'cache_creation');
  const cacheWrite1h = counts.read(writesByLifetime, 'ephemeral_1h_input_tokens');
  const cacheWrite5m = counts.read(writesByLifetime, 'ephemeral_5m_input_tokens');
  const cacheWrite = counts.read(usage, 'cache_creation_input_tokens') ?? sumReported(cacheWrite5m, cacheWrite1h);
  const reasoning = counts.read(ownObject(usage, 'output_tokens_details'), 'thinking_tokens', 'reasoning_tokens');
  return {
    input: {
      ...noInput,
      total: sumReported(sent.input, cacheRead, cacheWrite),
      totalAsSent: sent.input,
      cacheRead,
      cacheWrite,
      cacheWrite1h,
    },
    output: { ...noOutput, total: sent.output, totalAsSent: sent.output, reasoning },
  };
}

/** OpenAI's responses, images, transcriptions and realtime (which says `token_details`): totals include their parts. */
function readOpenAiResponse(
  usage: JsonObject,
  sent: { input: number | undefined; output: number | undefined },
  counts: CountReader,
): ReportedCounts {
  const input = ownObject(usage, 'input_tokens_details') ?? ownObject(usage, 'input_token_details');
  const output = ownObject(usage, 'output_tokens_details') ?? ownObject(usage, 'output_token_details');
  return {
    input: {
      ...noInput,
      total: sent.input,
      totalAsSent: sent.input,
      cacheRead: counts.read(input, 'cached_tokens'),
      cacheWrite: counts.read(input, 'cache_write_tokens'),
      ...readInputModalities(input, counts),
    },
    output: {
      total: sent.output,
      totalAsSent: sent.output,
      reasoning: counts.read(output, 'reasoning_tokens'),
      ...readOutputModalities(output, counts),
    },
  };
}

function readInputModalities(
  details: JsonObject | undefined,
  counts: CountReader,
): Pick<InputCounts, 'audio' | 'image' | 'cacheReadAudio' | 'cacheReadImage'> {
  const cached = ownObject(details, 'cached_tokens_details');
  return {
    audio: counts.read(details, 'audio_tokens'),
    image: counts.read(details, 'image_tokens'),
    cacheReadAudio: counts.read(cached, 'audio_tokens'),
    cacheReadImage: counts.read(cached, 'image_tokens'),
  };
}

function readOutputModalities(
  details: JsonObject | undefined,
  counts: CountReader,
): Pick<OutputCounts, 'audio' | 'image' | 'video'> {
  return {
    audio: counts.read(details, 'audio_tokens'),
    image: counts.read(details, 'image_tokens'),
    video: undefined,
  };
}

/** Gemini's lists `[{ modality: 'AUDIO', tokenCount: 40 }]`, summed by modality. It bills pages of documents as images. */
function readModalities(
  usage: JsonObject,
  names: readonly string[],
  counts: CountReader,
): Pick<OutputCounts, 'audio' | 'image' | 'video'> {
  const sums: Pick<OutputCounts, 'audio' | 'image' | 'video'> = {
    audio: undefined,
    image: undefined,
    video: undefined,
  };
  for (const name of names) {
    for (const detail of ownObjects(usage, name)) {
      const modality = modalityKeys.get(ownValue(detail, 'modality'));
      if (modality === undefined) continue;
      const sum = sumReported(sums[modality], counts.read(detail, 'tokenCount'));
      // A list may be long, a count is never more than is believed.
      sums[modality] = sum === undefined ? undefined : Math.min(sum, maxTokens);
    }
  }
  return sums;
}

const modalityKeys: ReadonlyMap<unknown, 'audio' | 'image' | 'video'> = new Map([
  ['AUDIO', 'audio'],
  ['IMAGE', 'image'],
  ['DOCUMENT', 'image'],
  ['VIDEO', 'video'],
]);

/** An input side of which nothing is reported. */
export const noInput: Readonly<InputCounts> = {
  total: undefined,
  totalAsSent: undefined,
  cacheRead: undefined,
  cacheWrite: undefined,
  cacheWrite1h: undefined,
  audio: undefined,
  image: undefined,
  video: undefined,
  cacheReadAudio: undefined,
  cacheReadImage: undefined,
};

/** An output side of which nothing is reported. */
export const noOutput: Readonly<OutputCounts> = {
  total: undefined,
  totalAsSent: undefined,
  reasoning: undefined,
  audio: undefined,
  image: undefined,
  video: undefined,
};

function ownObjects(source: JsonObject, name: string): readonly JsonObject[] {
  const value = ownValue(source, name);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The sum of the counts that are reported; undefined when none is. */
function sumReported(...reported: readonly (number | undefined)[]): number | undefined {
  let sum: number | undefined;
  for (const count of reported) if (count !== undefined) sum = (sum ?? 0) + count;
  return sum;
}

function noneReported(...reported: readonly (number | undefined)[]): boolean {
  return reported.every((count) => count === undefined);
}
