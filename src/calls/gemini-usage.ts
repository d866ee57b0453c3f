import {
  believed,
  type CountReader,
  type JsonObject,
  noInput,
  noneReported,
  type OutputCounts,
  ownObjects,
  ownValue,
  type ReportedCounts,
  sumReported,
} from './usage-counts.ts';

/**
 * Reads Gemini's `usageMetadata`. The prompt count includes cached tokens and excludes tool-use prompts; the candidates
 * count excludes thoughts. Gemini's Python library writes the names in snake case.
 */
export function readGemini(usage: JsonObject, counts: CountReader): ReportedCounts | null {
  const prompt = counts.read(usage, 'promptTokenCount', 'prompt_token_count');
  const toolUse = counts.read(usage, 'toolUsePromptTokenCount', 'tool_use_prompt_token_count');
  // The Live API names these `response…` instead of `candidates…`.
  const candidates = counts.read(
    usage,
    'candidatesTokenCount',
    'responseTokenCount',
    'candidates_token_count',
    'response_token_count',
  );
  const thoughts = counts.read(usage, 'thoughtsTokenCount', 'thoughts_token_count');
  const cached = counts.read(usage, 'cachedContentTokenCount', 'cached_content_token_count');
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

/**
 * Sums lists such as `[{ modality: 'AUDIO', tokenCount: 40 }]` by modality. Pages of documents are billed as images.
 */
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
    for (const detail of [...ownObjects(usage, name), ...ownObjects(usage, inSnakeCase(name))]) {
      const modality = modalityKeys.get(ownValue(detail, 'modality'));
      if (modality === undefined) continue;
      sums[modality] = believed(sumReported(sums[modality], counts.read(detail, 'tokenCount', 'token_count')));
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

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
