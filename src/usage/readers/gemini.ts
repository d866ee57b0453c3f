import { googleGenAi, googleInteractions } from './sources.ts';
import type { CountPaths, TokenReader } from './token-reader.ts';
import { believed, noInput, noneReported, type OutputCounts, sumReported } from './usage-counts.ts';
import type { UsageObject } from './usage-object.ts';
import { type Paths, paths, pathsWithoutPrice } from './usage-paths.ts';

const declared = (...texts: readonly string[]): Paths => paths(googleGenAi, ...texts);
const ofInteraction = (...texts: readonly string[]): Paths => paths(googleInteractions, ...texts);

/** Gemini's names of its counts, and of the lists that split them by modality. */
interface Names {
  readonly prompt: Paths;
  readonly toolUse: Paths;
  readonly candidates: Paths;
  readonly thoughts: Paths;
  readonly cached: Paths;
  readonly all: Paths;
  readonly promptDetails: Paths;
  readonly toolUseDetails: Paths;
  readonly cacheDetails: Paths;
  readonly outputDetails: Paths;
}

const modality = declared('modality');
const tokenCount = [...declared('tokenCount', 'token_count'), ...ofInteraction('tokens')];

/** Reads Gemini's `usageMetadata`. Gemini's Python library writes the names in snake case. */
export const readGemini = readerOf({
  prompt: declared('promptTokenCount', 'prompt_token_count'),
  toolUse: declared('toolUsePromptTokenCount', 'tool_use_prompt_token_count'),
  // The Live API names these `response…` instead of `candidates…`.
  candidates: declared('candidatesTokenCount', 'responseTokenCount', 'candidates_token_count', 'response_token_count'),
  thoughts: declared('thoughtsTokenCount', 'thoughts_token_count'),
  cached: declared('cachedContentTokenCount', 'cached_content_token_count'),
  all: declared('totalTokenCount', 'total_token_count'),
  promptDetails: declared('promptTokensDetails', 'prompt_tokens_details'),
  toolUseDetails: declared('toolUsePromptTokensDetails', 'tool_use_prompt_tokens_details'),
  cacheDetails: declared('cacheTokensDetails', 'cache_tokens_details'),
  outputDetails: declared(
    'candidatesTokensDetails',
    'candidates_tokens_details',
    'responseTokensDetails',
    'response_tokens_details',
  ),
});

export const readInteraction = readerOf({
  prompt: ofInteraction('total_input_tokens'),
  toolUse: ofInteraction('total_tool_use_tokens'),
  candidates: ofInteraction('total_output_tokens'),
  thoughts: ofInteraction('total_thought_tokens'),
  cached: ofInteraction('total_cached_tokens'),
  all: ofInteraction('total_tokens'),
  promptDetails: ofInteraction('input_tokens_by_modality'),
  toolUseDetails: ofInteraction('tool_use_tokens_by_modality'),
  cacheDetails: ofInteraction('cached_tokens_by_modality'),
  outputDetails: ofInteraction('output_tokens_by_modality'),
});

/** The input of the first turn, which is part of the whole input. */
pathsWithoutPrice(googleGenAi, 'initialPromptTokenCount', 'initial_prompt_token_count');
pathsWithoutPrice(googleInteractions, 'initial_input_tokens');

/** Reads a shape of Gemini: the prompt includes cached tokens, not tools' prompts; candidates exclude thoughts. */
function readerOf(names: Names): TokenReader {
  const sides = sidesOf(names);
  return (usage) => {
    const sent = {
      prompt: usage.count(names.prompt),
      toolUse: usage.count(names.toolUse),
      candidates: usage.count(names.candidates),
      thoughts: usage.count(names.thoughts),
      cached: usage.count(names.cached),
    };
    if (noneReported(sent.prompt, sent.toolUse, sent.candidates, sent.thoughts, sent.cached)) return null;

    const ofPrompt = readModalities(usage, names.promptDetails, sent.prompt);
    const ofToolUse = readModalities(usage, names.toolUseDetails, sent.toolUse);
    const ofCache = readModalities(usage, names.cacheDetails, sent.cached);
    const ofOutput = readModalities(usage, names.outputDetails, sent.candidates);
    const input = sumReported(sent.prompt, sent.toolUse);
    const output = sumReported(sent.candidates, sent.thoughts);
    usage.check(names.all, (input ?? 0) + (output ?? 0));
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
  };
}

function sidesOf(names: Names): CountPaths {
  const media = [...names.promptDetails, ...names.toolUseDetails];
  const { cacheDetails, outputDetails, thoughts } = names;
  return {
    input: {
      total: [...names.prompt, ...names.toolUse],
      cacheRead: names.cached,
      audio: media,
      image: media,
      video: media,
      cacheReadAudio: cacheDetails,
      cacheReadImage: cacheDetails,
    },
    output: {
      total: [...names.candidates, ...thoughts],
      reasoning: thoughts,
      audio: outputDetails,
      image: outputDetails,
      video: outputDetails,
    },
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
    const kind = modalityKeys.get(modalityOf(item));
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
  for (const item of items) if (plainModalities.has(modalityOf(item))) item.accept(tokenCount);
}

/** Interactions write modalities in lower case, and Python some as `MediaModality.AUDIO`. */
function modalityOf(item: UsageObject): unknown {
  const name = item.value(modality);
  return typeof name === 'string' ? name.slice(name.lastIndexOf('.') + 1).toUpperCase() : name;
}

const modalityKeys: ReadonlyMap<unknown, 'audio' | 'image' | 'video'> = new Map([
  ['AUDIO', 'audio'],
  ['IMAGE', 'image'],
  ['DOCUMENT', 'image'],
  ['VIDEO', 'video'],
]);

const plainModalities: ReadonlySet<unknown> = new Set(['TEXT', 'MODALITY_UNSPECIFIED', undefined]);
