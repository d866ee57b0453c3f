import { believed, noInput, noneReported, type OutputCounts, sumReported } from '../usage-counts.ts';
import { googleGenAi } from './sources.ts';
import type { TokenReading } from './token-reader.ts';
import type { UsageObject } from './usage-object.ts';
import { type Paths, paths } from './usage-paths.ts';

const declared = (...texts: readonly string[]): Paths => paths(googleGenAi, ...texts);

const prompt = declared('promptTokenCount', 'prompt_token_count');
const toolUse = declared('toolUsePromptTokenCount', 'tool_use_prompt_token_count');
/** The Live API names these `response…` instead of `candidates…`. */
const candidates = declared(
  'candidatesTokenCount',
  'responseTokenCount',
  'candidates_token_count',
  'response_token_count',
);
const thoughts = declared('thoughtsTokenCount', 'thoughts_token_count');
const cached = declared('cachedContentTokenCount', 'cached_content_token_count');
const all = declared('totalTokenCount', 'total_token_count');

const promptDetails = declared('promptTokensDetails', 'prompt_tokens_details');
const toolUseDetails = declared('toolUsePromptTokensDetails', 'tool_use_prompt_tokens_details');
const cacheDetails = declared('cacheTokensDetails', 'cache_tokens_details');
const outputDetails = declared(
  'candidatesTokensDetails',
  'candidates_tokens_details',
  'responseTokensDetails',
  'response_tokens_details',
);
const modality = declared('modality');
const tokenCount = declared('tokenCount', 'token_count');

const media = [...promptDetails, ...toolUseDetails];
const sides = {
  input: {
    total: [...prompt, ...toolUse],
    cacheRead: cached,
    audio: media,
    image: media,
    video: media,
    cacheReadAudio: cacheDetails,
    cacheReadImage: cacheDetails,
  },
  output: {
    total: [...candidates, ...thoughts],
    reasoning: thoughts,
    audio: outputDetails,
    image: outputDetails,
    video: outputDetails,
  },
};

/**
 * Reads Gemini's `usageMetadata`. The prompt count includes cached tokens and excludes tool-use prompts; the candidates
 * count excludes thoughts. Gemini's Python library writes the names in snake case.
 */
export function readGemini(usage: UsageObject): TokenReading | null {
  const sent = {
    prompt: usage.count(prompt),
    toolUse: usage.count(toolUse),
    candidates: usage.count(candidates),
    thoughts: usage.count(thoughts),
    cached: usage.count(cached),
  };
  if (noneReported(sent.prompt, sent.toolUse, sent.candidates, sent.thoughts, sent.cached)) return null;

  const ofPrompt = readModalities(usage, promptDetails, sent.prompt);
  const ofToolUse = readModalities(usage, toolUseDetails, sent.toolUse);
  const ofCache = readModalities(usage, cacheDetails, sent.cached);
  const ofOutput = readModalities(usage, outputDetails, sent.candidates);
  const input = sumReported(sent.prompt, sent.toolUse);
  const output = sumReported(sent.candidates, sent.thoughts);
  usage.check(all, (input ?? 0) + (output ?? 0));
  return {
    input: {
      ...noInput,
      total: input,
      totalAsSent: sent.prompt,
      cacheRead: sent.cached,
      audio: believed(sumReported(ofPrompt.audio, ofToolUse.audio)),
      image: believed(sumReported(ofPrompt.image, ofToolUse.image)),
      video: believed(sumReported(ofPrompt.video, ofToolUse.video)),
      cacheReadAudio: ofCache.audio,
      cacheReadImage: ofCache.image,
    },
    output: { total: output, totalAsSent: sent.candidates, reasoning: sent.thoughts, ...ofOutput },
    paths: sides,
  };
}

type Modalities = Pick<OutputCounts, 'audio' | 'image' | 'video'>;

const noModalities: Modalities = { audio: undefined, image: undefined, video: undefined };

/**
 * Sums lists such as `[{ modality: 'AUDIO', tokenCount: 40 }]` by modality. Pages of documents are billed as images.
 * The count of text is marked as read if it is the rest of the total.
 */
function readModalities(usage: UsageObject, list: Paths, total: number | undefined): Modalities {
  if (!usage.has(list)) return noModalities;
  const sums: Modalities = { ...noModalities };
  const plain: UsageObject[] = [];
  for (const item of usage.items(list)) {
    const kind = modalityKeys.get(item.value(modality));
    if (kind === undefined) plain.push(item);
    else sums[kind] = believed(sumReported(sums[kind], item.count(tokenCount)));
  }
  if (plain.length > 0 && total !== undefined)
    checkPlain(plain, total - (sums.audio ?? 0) - (sums.image ?? 0) - (sums.video ?? 0));
  return sums;
}

function checkPlain(items: readonly UsageObject[], rest: number): void {
  const sum = sumReported(...items.map((item) => item.number(tokenCount)));
  if (sum !== rest) return;
  for (const item of items) if (plainModalities.has(item.value(modality))) item.accept(tokenCount);
}

const modalityKeys: ReadonlyMap<unknown, 'audio' | 'image' | 'video'> = new Map([
  ['AUDIO', 'audio'],
  ['IMAGE', 'image'],
  ['DOCUMENT', 'image'],
  ['VIDEO', 'video'],
]);

const plainModalities: ReadonlySet<unknown> = new Set(['TEXT', 'MODALITY_UNSPECIFIED', undefined]);
