import type { Terms } from '../lib/units.ts';
import type { AnswerLevel } from './answer-levels.ts';
import { readBedrockBody } from './readers/bedrock.ts';
import { readCost, type UsageCost } from './readers/costs.ts';
import { readProviderTokens } from './readers/provider-usage.ts';
import { aiSdkUsage } from './readers/sources.ts';
import { noTerms, readUsageTerms } from './readers/terms.ts';
import type { TokenReading } from './readers/token-reader.ts';
import { readUnits, type UnitCounts } from './readers/units.ts';
import { UsageObject } from './readers/usage-object.ts';
import { type Paths, paths } from './readers/usage-paths.ts';
import { isJsonObject, type JsonObject, ownValue } from './usage-counts.ts';

/** The provider's own usage, as models of the AI SDK pass it on. */
const raw = paths(aiSdkUsage, 'raw');

/**
 * Combines the usage objects of an event. Token counts are those of the first object that has any. The others add
 * units, terms and costs. Their numbers that contradict earlier ones are unread.
 */
export class UsageObjects {
  tokens: TokenReading | undefined;
  /** The object of `tokens`. */
  main: UsageObject | undefined;
  units: UnitCounts | undefined;
  terms: Terms = noTerms;
  cost: UsageCost | undefined;
  readonly #objects: UsageObject[] = [];

  /** Reads a usage object. If it contains the provider's own, that one is read first, because it has more detail. */
  add(usage: JsonObject, place: string): void {
    const object = new UsageObject(usage, place);
    const own = object.value(raw);
    if (isJsonObject(own)) {
      object.accept(raw);
      this.add(own, `${place}.raw`);
    }
    this.#objects.push(object);
    this.#addTokens(object, readProviderTokens(object));
    this.#addUnits(object);
    this.terms = readUsageTerms(object, this.terms);
    this.#addCost(object);
  }

  /** Reads an answer that holds its counts without a usage object. */
  addBody(body: JsonObject, place: string): void {
    const object = new UsageObject(body, place);
    this.#objects.push(object);
    this.#addTokens(object, readBedrockBody(object));
    this.#addUnits(object);
  }

  /** The paths of the unread numbers, and whether a count was unusable. */
  finish(): { unread: string[]; isUnusable: boolean } {
    const unread: string[] = [];
    let isUnusable = false;
    for (const object of this.#objects) {
      object.addUnread(unread);
      isUnusable ||= object.isPartlyUnusable;
      object.free();
    }
    return { unread, isUnusable };
  }

  /** Marks the values at these paths as unread in all objects. */
  dispute(list: Paths): void {
    for (const object of this.#objects) object.dispute(list);
  }

  #addTokens(object: UsageObject, tokens: TokenReading | null): void {
    if (tokens === null) return;
    if (this.tokens === undefined) {
      this.tokens = tokens;
      this.main = object;
      return;
    }
    disputeDifferent(object, tokens.paths.input, tokens.input, this.tokens.input);
    disputeDifferent(object, tokens.paths.output, tokens.output, this.tokens.output);
  }

  #addUnits(object: UsageObject): void {
    const units = readUnits(object);
    if (units === undefined) return;
    this.units ??= new Map();
    for (const [unit, { count, paths: list }] of units) {
      const known = this.units.get(unit);
      if (known === undefined) this.units.set(unit, { count, paths: list });
      else if (known.count !== count) object.dispute(list);
    }
  }

  #addCost(object: UsageObject): void {
    const cost = readCost(object);
    if (cost === null) return;
    if (this.cost === undefined) this.cost = cost;
    else if (this.cost.amount !== cost.amount) object.dispute(cost.paths);
  }
}

/** The usage objects of an event and its response; undefined if there is none. */
export function readUsageObjects(top: AnswerLevel, response: AnswerLevel | undefined): UsageObjects | undefined {
  let objects: UsageObjects | undefined;
  for (const level of [top, response]) {
    if (level === undefined || (level.usages === undefined && !level.hasAnswer)) continue;
    const prefix = level === top ? '' : 'response';
    level.forEachUsage((usage, name) => {
      objects ??= new UsageObjects();
      objects.add(usage, prefix === '' ? name : `${prefix}.${name}`);
    });
    const body = level.hasAnswer ? bodyOf(level.object) : undefined;
    if (body !== undefined) {
      objects ??= new UsageObjects();
      objects.addBody(body, prefix);
    }
  }
  return objects;
}

const bodyNames = ['prompt_token_count', 'generation_token_count', 'inputTextTokenCount', 'server_side_tool_usage'];

/** The counts of an answer that are not in a usage object. */
function bodyOf(answer: JsonObject): JsonObject | undefined {
  let body: Record<string, unknown> | undefined;
  for (const name of bodyNames) {
    const value = ownValue(answer, name);
    if (value === undefined || value === null) continue;
    body ??= {};
    body[name] = value;
    // The answers of Titan.
    if (name === 'inputTextTokenCount') body.results = ownValue(answer, 'results');
  }
  return body;
}

/** Marks counts as unread that differ from those of the reading that counts. */
export function disputeDifferent<Side extends object>(
  object: UsageObject,
  list: Readonly<Partial<Record<keyof Side, Paths>>>,
  side: Side,
  believed: Side,
): void {
  for (const name of Object.keys(list) as (keyof Side)[]) {
    if ((side[name] ?? 0) !== (believed[name] ?? 0)) object.dispute(list[name] ?? []);
  }
}
