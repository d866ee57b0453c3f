import { isJsonObject, type JsonObject, ownObject, ownValue } from '../lib/json-object.ts';
import { maxTermLength, type TermName, termNames, type UnitName, unitNames } from '../lib/units.ts';
import { isOperation, mediaFields } from './answer-media.ts';
import { asTerm } from './readers/terms.ts';
import { hasCountHeaders, hasImageCalls } from './tool-usage.ts';

/** The flat counts of an event (D3.10). */
const flatCounts = [
  'prompt_tokens',
  'input_tokens',
  'completion_tokens',
  'output_tokens',
  'cached_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'input_audio_tokens',
  'reasoning_tokens',
  'output_audio_tokens',
  'total_tokens',
] as const;

export type FlatCount = (typeof flatCounts)[number];

/** The values of the flat counts that are present. */
export type FlatValues = Partial<Record<FlatCount, unknown>>;

/** Where an event or its response has usage objects; the first of these counts most. */
const usageNames = [
  // The AI SDK's sum over all steps. The `usage` beside it is that of the last step.
  'totalUsage',
  'usage',
  'usageMetadata',
  'usage_metadata',
  'usage_info',
  'usageInfo',
  'meta',
  'amazon-bedrock-invocationMetrics',
] as const;

const isAnything = (): boolean => true;

/** The answers of OpenAI's Decisions (openai 7.59.0), which have prices of their own. */
function isDecisions(answers: unknown): boolean {
  const [first] = Array.isArray(answers) ? answers : [];
  return isJsonObject(first) && ['predicate', 'choice', 'score', 'refusal'].includes(String(ownValue(first, 'type')));
}

/** Other fields of answers from which units are counted (`answer-units.ts`), each with a test of its value. */
const answerFields: Readonly<Record<string, (value: unknown) => boolean>> = {
  output: Array.isArray,
  choices: Array.isArray,
  answers: isDecisions,
  candidates: Array.isArray,
  object: (value) => value === 'video' || value === 'batch',
  task: (value) => typeof value === 'string',
  server_side_tool_usage: isJsonObject,
  prompt_token_count: isAnything,
  generation_token_count: isAnything,
  prompt_eval_count: isAnything,
  eval_count: isAnything,
  inputTextTokenCount: isAnything,
};

/** Fields of the few answers that have media, or usage beside a usage object, each with a test of its value. */
const furtherFields: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...Object.fromEntries(mediaFields.map((name) => [name, isAnything])),
  data: Array.isArray,
  response: isOperation,
  tool_usage: isJsonObject,
  ResponseMetadata: hasCountHeaders,
  trace: isJsonObject,
  svg_usage: isJsonObject,
  usage_breakdown: isJsonObject,
  x_groq: (value) => isJsonObject(value) && ('usage' in value || 'usage_breakdown' in value),
};

/** The fields of answers that name terms outside usage objects. */
const termPaths: Readonly<Record<string, TermName>> = {
  ...Object.fromEntries(termNames.map((name) => [name, name])),
  serviceTier: 'service_tier',
  inference_geo: 'geo',
  // Bedrock's latency-optimised inference.
  performanceConfig: 'speed',
};

type Role =
  | { readonly kind: 'count'; readonly name: FlatCount }
  | { readonly kind: 'usage'; readonly index: number }
  | { readonly kind: 'unit'; readonly unit: UnitName }
  | { readonly kind: 'term'; readonly term: TermName }
  | { readonly kind: 'metadata' }
  | { readonly kind: 'answer' | 'further'; readonly tells: (value: unknown) => boolean };

const roles: ReadonlyMap<string, Role> = new Map<string, Role>([
  ...Object.entries(answerFields).map(([name, tells]): [string, Role] => [name, { kind: 'answer', tells }]),
  ...Object.entries(furtherFields).map(([name, tells]): [string, Role] => [name, { kind: 'further', tells }]),
  ...unitNames.map((unit): [string, Role] => [unit, { kind: 'unit', unit }]),
  ...Object.entries(termPaths).map(([name, term]): [string, Role] => [name, { kind: 'term', term }]),
  ...usageNames.map((name, index): [string, Role] => [name, { kind: 'usage', index }]),
  ...flatCounts.map((name): [string, Role] => [name, { kind: 'count', name }]),
  ['providerMetadata', { kind: 'metadata' }],
  ['provider_metadata', { kind: 'metadata' }],
]);

type PlacedUsage = readonly [usage: JsonObject, place: string];

/** Fields of a provider's metadata that usage objects have too. */
const metadataFields = ['cost', 'costInUsdTicks', 'serviceTier'] as const;

/** The usage in the AI SDK's metadata: the provider's own objects, and what they say of cost and terms. */
function* usagesOfMetadata(metadata: JsonObject, at: string): Generator<PlacedUsage> {
  for (const [provider, ofProvider] of Object.entries(metadata)) {
    if (!isJsonObject(ofProvider)) continue;
    const place = `${at}.${provider}`;
    for (const name of ['usage', 'usageMetadata']) {
      const usage = ownValue(ofProvider, name);
      if (isJsonObject(usage)) yield [usage, `${place}.${name}`];
    }
    const fields = metadataFields.filter((name) => (ownValue(ofProvider, name) ?? null) !== null);
    if (fields.length > 0) yield [Object.fromEntries(fields.map((name) => [name, ofProvider[name]])), place];
  }
}

/** The metadata in an answer of Vercel's gateway in the form of OpenAI's chat completions. */
function metadataOfChoices(choices: unknown): JsonObject | undefined {
  const [first] = Array.isArray(choices) ? choices : [];
  if (!isJsonObject(first)) return undefined;
  return ownObject(ownObject(first, 'message'), 'provider_metadata');
}

/** The fields at one level of an event: the event itself, or its response. */
export class AnswerLevel {
  counts: FlatValues | undefined;
  /** Usage objects in the order of `usageNames`. */
  usages: JsonObject[] | undefined;
  /** The AI SDK's metadata by provider. */
  metadata: JsonObject | undefined;
  #metadataAt = '';
  units: [UnitName, unknown][] | undefined;
  terms: Partial<Record<TermName, string>> | undefined;
  /** Names of terms that are too long. */
  unread: string[] | undefined;
  hasAnswer = false;
  /** Whether it is one of the few answers that have media, or usage beside a usage object. */
  hasMore = false;
  readonly object: JsonObject;
  /** Its place in the event; empty for the event itself. */
  readonly place: string;

  constructor(object: JsonObject, place = '') {
    this.object = object;
    this.place = place;
    for (const name of Object.keys(object)) {
      const role = roles.get(name);
      if (role !== undefined) this.#take(name, role, object[name]);
    }
  }

  /** Calls `read` with each usage object and its name. */
  forEachUsage(read: (usage: JsonObject, name: string) => void): void {
    const { usages, metadata } = this;
    // Beside a sum over steps, the metadata are those of the last step.
    if (metadata !== undefined && usages?.[0] === undefined) {
      for (const [usage, place] of usagesOfMetadata(metadata, this.#metadataAt)) read(usage, place);
    }
    if (usages === undefined) return;
    for (let index = 0; index < usages.length; index += 1) {
      const usage = usages[index];
      const name = usageNames[index] ?? '';
      // The sum already includes the last step.
      if (usage !== undefined && !(name === 'usage' && usages[0] !== undefined)) read(usage, name);
    }
  }

  #take(name: string, role: Role, value: unknown): void {
    if (value === undefined || value === null) return;
    switch (role.kind) {
      case 'count':
        this.counts ??= {};
        this.counts[role.name] = value;
        break;
      case 'usage':
        if (isJsonObject(value) && (name !== 'meta' || isBilling(value))) {
          this.usages ??= new Array<JsonObject>(usageNames.length);
          this.usages[role.index] = value;
        }
        break;
      case 'unit':
        this.units ??= [];
        this.units.push([role.unit, value]);
        // A list, such as one of images, is what was made.
        if (Array.isArray(value)) this.#noteMore();
        break;
      case 'term':
        this.#takeTerm(name, role.term, value);
        break;
      case 'metadata':
        if (isJsonObject(value)) this.#takeMetadata(value, name);
        break;
      case 'further':
        if (role.tells(value)) this.#noteMore();
        break;
      case 'answer':
        this.hasAnswer ||= role.tells(value);
        this.hasMore ||= name === 'output' && hasImageCalls(value);
        if (name === 'answers' && role.tells(value)) this.terms = { service_tier: 'decisions', ...this.terms };
        if (name === 'choices') this.#takeMetadata(metadataOfChoices(value), 'choices[].message.provider_metadata');
        // OpenAI's batches say so themselves, with the usage of all their requests.
        if (name === 'object' && value === 'batch') this.terms = { service_tier: 'batch', ...this.terms };
        break;
    }
  }

  #takeMetadata(metadata: JsonObject | undefined, at: string): void {
    if (metadata === undefined || this.metadata !== undefined) return;
    this.metadata = metadata;
    this.#metadataAt = at;
  }

  #noteMore(): void {
    this.hasAnswer = true;
    this.hasMore = true;
  }

  #takeTerm(name: string, term: TermName, value: unknown): void {
    // Bedrock names them within objects: `{ serviceTier: { type: 'priority' } }`.
    const named = isJsonObject(value) ? (ownValue(value, 'type') ?? ownValue(value, 'latency')) : value;
    const text = asTerm(named);
    if (text !== undefined) {
      this.terms ??= {};
      this.terms[term] = text;
    } else if (typeof named === 'string' && named.length > maxTermLength) {
      this.unread ??= [];
      this.unread.push(name);
    }
  }
}

/** Whether `meta` is Cohere's. */
const isBilling = (meta: JsonObject): boolean =>
  ['billed_units', 'billedUnits', 'tokens'].some((name) => isJsonObject(ownValue(meta, name)));
