import { isJsonObject, type JsonObject } from '../lib/json-object.ts';

/** Langfuse's names of the two sides, and of the parts that are beside `input` and `output` or in them. */
const isInput = (name: string): boolean =>
  /^(?:input|prompt)(?:$|_)|^cached?_|_input_|^tool_use_prompt_/.test(name) || name.includes('input');
const isOutput = (name: string): boolean =>
  name.includes('output') || /^(?:completion|reasoning|thoughts?)(?:$|_)/.test(name);
const isTotal = (name: string): boolean => name === 'total' || name === 'total_tokens' || name === 'totaltokens';

/** Names that only providers' own usage objects have: these are read as such. */
const isOfProvider = (name: string): boolean =>
  /^(?:prompt|completion|candidates|thoughts|response|cached_?content)_?(?:tokens?|token_?count)/i.test(name) ||
  /_?token_?counts?$/i.test(name);

/**
 * Counts by names such as Langfuse's `input`, `input_cached_tokens` and `output_reasoning_tokens`, as fields of an event.
 * They are disjoint and add up to `total`. But if a caller sent totals that include their parts, `input` and `output`
 * add up to it. A provider's own object is passed on. `place` is where the event has the object.
 */
export function readNamedCounts(details: JsonObject, place: string): JsonObject {
  const names = Object.keys(details);
  // Frameworks rename the sides alone, and keep the provider's names of the parts.
  const isRenamed = names.includes('input') || names.includes('output');
  const isNested = (name: string) =>
    (name.endsWith('_details') || name === 'cache_creation') && isJsonObject(details[name]);
  if (!isRenamed && names.some((name) => isOfProvider(name) || isNested(name))) return { usage: details };
  const counts: [name: string, count: number][] = [];
  const unread: [string, unknown][] = [];
  for (const name of names) {
    const [value, lower] = [details[name], name.toLowerCase()];
    const count = asCount(value);
    if ((count === undefined && !isJsonObject(value)) || isOverlap(lower)) continue;
    const isKnown = isInput(lower) || isOutput(lower) || isTotal(lower);
    if (count !== undefined && isKnown && Number.isInteger(count) && count >= 0) counts.push([lower, count]);
    else unread.push([`${place}.${name}`, count ?? value]);
  }
  const others = unread.length === 0 ? {} : { unread_usage: Object.fromEntries(unread) };
  const lifetimes = counts.filter(([name]) => isLifetime(name)).reduce((sum, [, count]) => sum + count, 0);
  const isSum = ([name, count]: (typeof counts)[number]) => cacheWrite.test(name) && count === lifetimes;
  return {
    ...others,
    ...fieldsOf(lifetimes === 0 ? counts : counts.filter((one) => isLifetime(one[0]) || !isSum(one))),
  };
}

/** Cache writes by how long they live. Their sum may be beside them. */
const isLifetime = (name: string): boolean => name.includes('ephemeral');

/** LangChain's counts of a tier, which repeat others. */
const isOverlap = (name: string): boolean => /(?:^|_)priority(?:_|$)/.test(name);

function fieldsOf(counts: readonly (readonly [name: string, count: number])[]): JsonObject {
  const sum = (matches: (name: string) => boolean) =>
    counts.reduce((total, [name, count]) => (matches(name) ? total + count : total), 0);
  const total = sum(isTotal);
  const sides = { input: sum(isInput), output: sum(isOutput) };
  if (sides.input + sides.output === 0) return total > 0 ? { usage: { total_tokens: total } } : {};
  const includesParts = total > 0 && sum(isPlain) === total && sides.input + sides.output !== total;
  const side = (name: 'input' | 'output', isSide: (name: string) => boolean) =>
    includesParts ? sum((one) => isSide(one) && isPlain(one)) : sides[name];
  const part = (isSide: (name: string) => boolean, words: RegExp) => {
    const count = sum((name) => isSide(name) && words.test(name));
    return count === 0 ? undefined : count;
  };
  const cached = part(isInput, /cached|cache_?read/);
  const written = part(isInput, cacheWrite);
  const audio = part((name) => isInput(name) && !name.includes('cache'), /audio/);
  const image = part((name) => isInput(name) && !name.includes('cache'), /image/);
  const long = sum((name) => cacheWrite.test(name) && /1h/.test(name));
  const reasoning = part(isOutput, /reasoning|thought/);
  const outputAudio = part(isOutput, /audio/);
  const outputImage = part(isOutput, /image/);
  const both = { prompt: side('input', isInput), completion: side('output', isOutput) };
  if (long === 0 && image === undefined && outputImage === undefined) {
    return {
      prompt_tokens: both.prompt,
      completion_tokens: both.completion,
      cached_tokens: cached,
      cache_write_tokens: written,
      input_audio_tokens: audio,
      reasoning_tokens: reasoning,
      output_audio_tokens: outputAudio,
      total_tokens: total === 0 ? undefined : total,
    };
  }
  return {
    usage: {
      prompt_tokens: both.prompt,
      completion_tokens: both.completion,
      prompt_tokens_details: {
        cached_tokens: cached,
        cache_creation_tokens: written,
        cache_creation_token_details:
          long === 0
            ? undefined
            : { ephemeral_1h_input_tokens: long, ephemeral_5m_input_tokens: (written ?? 0) - long },
        audio_tokens: audio,
        image_tokens: image,
      },
      completion_tokens_details: {
        reasoning_tokens: reasoning,
        audio_tokens: outputAudio,
        image_tokens: outputImage,
      },
      total_tokens: total === 0 ? undefined : total,
    },
  };
}

/** A side itself, not one of its parts. */
const isPlain = (name: string): boolean => /^(?:input|output|prompt|completion)(?:_?tokens)?$/.test(name);

const cacheWrite = /cache_?creation|cache_?write|ephemeral/;

const countText = /^\d{1,12}$/;

function asCount(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && countText.test(value.trim()) ? Number(value) : undefined;
}
