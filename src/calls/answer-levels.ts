import { type TermName, termNames, type UnitName, unitNames } from '../lib/units.ts';
import { asTerm, maxTermLength } from './readers/terms.ts';
import { isJsonObject, type JsonObject, ownValue } from './usage-counts.ts';

/** The flat counts of an event (D3.10). */
export const flatCounts = [
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
] as const;

export type FlatCount = (typeof flatCounts)[number];

/** Where usage objects stand, in an event or its response, in the order in which they are believed. */
const usageNames = [
  // The AI SDK's sum over all steps. `usage` beside it is that of the last step.
  'totalUsage',
  'usage',
  'usageMetadata',
  'usage_metadata',
  'usage_info',
  'usageInfo',
  'meta',
  'amazon-bedrock-invocationMetrics',
] as const;

/** Other fields of answers, from which units are counted (`answer-units.ts`). */
const answerNames = [
  'output',
  'choices',
  'candidates',
  'data',
  'generatedImages',
  'generated_images',
  'object',
  'task',
  'server_side_tool_usage',
  'prompt_token_count',
  'generation_token_count',
  'inputTextTokenCount',
] as const;

/** Where answers name terms, outside their usage objects. */
const termPaths: Readonly<Record<string, TermName>> = {
  ...Object.fromEntries(termNames.map((name) => [name, name])),
  serviceTier: 'service_tier',
  inference_geo: 'geo',
  // Bedrock's latency-optimised inference.
  performanceConfig: 'speed',
};

type Role =
  | { readonly kind: 'count'; readonly index: number }
  | { readonly kind: 'usage'; readonly index: number }
  | { readonly kind: 'unit'; readonly unit: UnitName }
  | { readonly kind: 'term'; readonly term: TermName }
  | { readonly kind: 'answer' };

const roles: ReadonlyMap<string, Role> = new Map<string, Role>([
  ...answerNames.map((name): [string, Role] => [name, { kind: 'answer' }]),
  ...unitNames.map((unit): [string, Role] => [unit, { kind: 'unit', unit }]),
  ...Object.entries(termPaths).map(([name, term]): [string, Role] => [name, { kind: 'term', term }]),
  ...usageNames.map((name, index): [string, Role] => [name, { kind: 'usage', index }]),
  ...flatCounts.map((name, index): [string, Role] => [name, { kind: 'count', index }]),
]);

/** What stands at one level of an event: the event itself, or its response. */
export class AnswerLevel {
  /** Values by the order of `flatCounts`; undefined where the level has none. */
  counts: unknown[] | undefined;
  /** Usage objects by the order in which they are believed. */
  usages: JsonObject[] | undefined;
  units: [UnitName, unknown][] | undefined;
  terms: [TermName, string][] | undefined;
  /** Names of terms that are too long. */
  unread: string[] | undefined;
  hasAnswer = false;
  readonly object: JsonObject;

  constructor(object: JsonObject) {
    this.object = object;
    for (const name of Object.keys(object)) {
      const role = roles.get(name);
      if (role !== undefined) this.#take(name, role, object[name]);
    }
  }

  /** The usage objects and where they stand. */
  *places(): Generator<readonly [place: string, usage: JsonObject]> {
    const { usages } = this;
    if (usages === undefined) return;
    for (const [index, name] of usageNames.entries()) {
      const usage = usages[index];
      // The last step is part of the sum.
      if (usage !== undefined && !(name === 'usage' && usages[0] !== undefined)) yield [name, usage];
    }
  }

  #take(name: string, role: Role, value: unknown): void {
    if (value === undefined || value === null) return;
    switch (role.kind) {
      case 'count':
        this.counts ??= new Array<unknown>(flatCounts.length);
        this.counts[role.index] = value;
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
        break;
      case 'term':
        this.#takeTerm(name, role.term, value);
        break;
      case 'answer':
        this.hasAnswer = true;
        break;
    }
  }

  #takeTerm(name: string, term: TermName, value: unknown): void {
    // Bedrock names them within objects: `{ serviceTier: { type: 'priority' } }`.
    const named = isJsonObject(value) ? (ownValue(value, 'type') ?? ownValue(value, 'latency')) : value;
    const text = asTerm(named);
    if (text !== undefined) {
      this.terms ??= [];
      this.terms.push([term, text]);
    } else if (typeof named === 'string' && named.length > maxTermLength) {
      this.unread ??= [];
      this.unread.push(name);
    }
  }
}

/** Whether `meta` is Cohere's. */
const isBilling = (meta: JsonObject): boolean =>
  ['billed_units', 'billedUnits', 'tokens'].some((name) => isJsonObject(ownValue(meta, name)));
