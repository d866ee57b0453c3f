import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { agreesWith, type BesideKind } from '../../usage/counts-beside.ts';
import { type Attributes, asNumber, objectAt, readFirst } from './otlp/attributes.ts';
import type { Lookup } from './tables.ts';

/** Where an answer within an attribute has its usage, by the libraries that write it. */
const inAnswers = [
  'usage',
  'usage_metadata',
  'usageMetadata',
  'token_usage',
  'llm_output.token_usage',
  'llm_output.usage',
  'llmOutput.tokenUsage',
  'llmOutput.usage',
  ...[
    'usage_metadata',
    'response_metadata.token_usage',
    'response_metadata.usage',
    'response_metadata.tokenUsage',
    'additional_kwargs.usage',
  ].map((name) => `generations.0.0.message.kwargs.${name}`),
];

/** Usage that libraries write beside the counts that are read. */
const beside = [
  'mlflow.chat.tokenUsage',
  'mlflow.chunk.value#usage',
  'mlflow.chunk.value#response.usage',
  'mirascope.response.usage',
  'langsmith.usage_metadata',
  'langsmith.metadata.usage_metadata',
  'usage',
  'response.additional_kwargs.*',
  'gen_ai.usage.input_token_details',
  'gen_ai.usage.output_token_details',
  'genkit:output#usage',
  'response#usage',
  ...['gen_ai.completion', 'output.value'].flatMap((attribute) => inAnswers.map((path) => `${attribute}#${path}`)),
];

const placesOf = new WeakMap<Lookup, readonly string[]>();

function placesIn(lookup: Lookup): readonly string[] {
  const known = placesOf.get(lookup);
  if (known !== undefined) return known;
  const places = [...new Set([...lookup.ownUsage, ...lookup.addedCounts, ...beside])];
  placesOf.set(lookup, places);
  return places;
}

/** What a count is of, by its name. */
const kinds: readonly (readonly [name: RegExp, kind: BesideKind])[] = [
  [/^(?:total_)?(?:input|prompt)_?tokens?(?:_?count)?$/i, 'input'],
  [/^(?:total_)?(?:output|completion|candidates)_?tokens?(?:_?count)?$/i, 'output'],
  [/^total_?tokens?(?:_?count)?$/i, 'total'],
  [/^cached?_?(?:read_?)?(?:input_?)?(?:content_?)?(?:tokens?)?(?:_?count)?$/i, 'cacheRead'],
  [/^cache_(?:write|creation)(?:_input)?(?:_tokens)?$/i, 'cacheWrite'],
  [/^(?:reasoning|thoughts|thinking)_?(?:tokens?)?(?:_?count)?$/i, 'reasoning'],
];
const allKinds: readonly BesideKind[] = [...kinds.map(([, kind]) => kind), 'inputAudio', 'outputAudio'];

/**
 * The numbers of a span's usage objects that are not those of `toCharged`, the usage that is counted, by their places
 * (D27.4): a span may tell its usage two or three times. A number of another name may be any of the charged ones.
 */
export function findContradicting(
  attributes: Attributes,
  lookup: Lookup,
  toCharged: () => JsonObject,
): Record<string, number> {
  const unlike: Record<string, number> = {};
  let agrees: ReturnType<typeof agreesWith> | undefined;
  let numbers: ReadonlySet<number> | undefined;
  let charged: JsonObject | undefined;
  readFirst(attributes, placesIn(lookup), (found, place) => {
    const usage = typeof found === 'string' ? objectAt(attributes, place) : found;
    // Most spans tell their usage once.
    charged ??= toCharged();
    if (usage === charged) return undefined;
    for (const [path, name, count] of numbersIn(usage, place.replace('.*', '').replace(/[#:]/g, '.'))) {
      agrees ??= agreesWith(charged);
      const kind = kinds.find(([pattern]) => pattern.test(name))?.[1];
      if (kind !== undefined && agrees(kind, count)) continue;
      numbers ??= new Set(numbersIn(charged, '').map(([, , one]) => one));
      // One is a number of requests or of answers.
      const isOther = kind === undefined && (count === 1 || numbers.has(count) || isAny(agrees, count));
      if (!isOther) unlike[path] = count;
    }
    return undefined;
  });
  return unlike;
}

const isAny = (agrees: ReturnType<typeof agreesWith>, count: number): boolean =>
  allKinds.some((kind) => agrees(kind, count));

/** The numbers above 0 in an object, but costs, with their paths and names. */
function numbersIn(object: unknown, path: string, depth = 4): [path: string, name: string, count: number][] {
  if (!isJsonObject(object) || depth === 0) return [];
  return Object.entries(object).flatMap(([name, value]): [string, string, number][] => {
    if (notOfUsage.test(name)) return [];
    const at = path === '' ? name : `${path}.${name}`;
    const count = asNumber(value);
    if (count === undefined) return numbersIn(value, at, depth - 1);
    return count === 0 ? [] : [[at, name, count]];
  });
}

const notOfUsage = /cost|time|duration|seconds|latency|price/i;
