import { isJsonObject, type JsonObject, ownObjects, ownValue } from '../lib/json-object.ts';
import type { Terms } from '../lib/units.ts';
import type { OtherUsage } from '../lib/usage-buckets.ts';
import type { AnswerLevel } from './answer-levels.ts';
import { type Answerer, nobody } from './readers/answerer.ts';
import { readBedrockBody } from './readers/bedrock.ts';
import { readCost, type UsageCost } from './readers/costs.ts';
import { readProviderTokens } from './readers/provider-usage.ts';
import { aiSdkUsage } from './readers/sources.ts';
import { noTerms, readUsageTerms } from './readers/terms.ts';
import type { OtherCounts, TokenCounts } from './readers/token-reader.ts';
import { readUnits, type UnitCounts } from './readers/units.ts';
import { sumReported } from './readers/usage-counts.ts';
import { UsageObject } from './readers/usage-object.ts';
import { type Paths, paths } from './readers/usage-paths.ts';
import { cutInput, cutOutput, splitInput, splitOutput } from './split-usage.ts';
import { toolUsages } from './tool-usage.ts';

/** The provider's own usage, as models of the AI SDK pass it on. */
const raw = paths(aiSdkUsage, 'raw');

/** The first object's tokens count; others add units, terms and costs. Contradicting numbers are unread. */
export class UsageObjects {
  tokens: TokenCounts | undefined;
  main: UsageObject | undefined;
  units: UnitCounts | undefined;
  terms: Terms = noTerms;
  cost: UsageCost | undefined;
  /** The counts of other models within the call, such as an advisor or a tool's. */
  others: OtherUsage[] | undefined;
  readonly #objects: UsageObject[] = [];
  readonly #answerer: Answerer;

  constructor(answerer: Answerer) {
    this.#answerer = answerer;
  }

  /** Reads a usage object. If it contains the provider's own, that one is read first, because it has more detail. */
  add(usage: JsonObject, place: string): void {
    const object = new UsageObject(usage, place);
    const own = object.value(raw);
    if (isJsonObject(own)) {
      object.accept(raw);
      this.add(own, `${place}.raw`);
    }
    this.#objects.push(object);
    this.#addTokens(object, readProviderTokens(object, this.#answerer));
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

  /** Reads the usage of a tool that has a model of its own. */
  addOther(model: string, usage: JsonObject, place: string): void {
    const object = new UsageObject(usage, place);
    this.#objects.push(object);
    const tokens = readProviderTokens(object, nobody);
    if (tokens !== null) this.#addOthers([{ ...tokens, model, object }]);
  }

  /**
   * Reads what each model of Groq's compound ones used. These are charged, and the call's own usage is their sum.
   * https://console.groq.com/docs/compound#model-usage-details
   */
  addParts(breakdown: JsonObject, place: string): void {
    const { models: _, ...unknown } = breakdown;
    this.#objects.push(new UsageObject(unknown, place));
    const parts: OtherCounts[] = [];
    for (const item of ownObjects(breakdown, 'models')) {
      const { model, usage, ...beside } = item;
      const object = new UsageObject(isJsonObject(usage) ? usage : {}, `${place}.models[].usage`);
      this.#objects.push(object, new UsageObject(beside, `${place}.models[]`));
      const tokens = readProviderTokens(object, nobody);
      if (tokens !== null)
        parts.push({ ...tokens, model: typeof model === 'string' ? model : '', object, isPart: true });
    }
    if (parts.length === 0) return;
    this.#addOthers(parts);
    const { tokens } = this;
    for (const side of ['input', 'output'] as const) {
      const isSum = sumReported(...parts.map((part) => part[side].total)) === tokens?.[side].total;
      if (tokens !== undefined && !isSum) this.main?.dispute(tokens.paths[side].total ?? []);
    }
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

  #addTokens(object: UsageObject, tokens: TokenCounts | null): void {
    if (tokens === null) return;
    if (this.tokens === undefined) {
      this.tokens = tokens;
      this.main = object;
      if (tokens.others !== undefined) this.#addOthers(tokens.others);
      return;
    }
    disputeDifferent(object, tokens.paths.input, tokens.input, this.tokens.input);
    disputeDifferent(object, tokens.paths.output, tokens.output, this.tokens.output);
  }

  #addOthers(others: readonly OtherCounts[]): void {
    this.others ??= [];
    for (const { model, input, output, paths: list, object, isPart } of others) {
      const usage = { ...splitInput(input).usage, ...splitOutput(output) };
      for (const name of cutInput(input, usage)) object.dispute(list.input[name] ?? []);
      for (const name of cutOutput(output, usage)) object.dispute(list.output[name] ?? []);
      if (this.others.length < maxOtherItems) this.others.push({ model, usage, isPart });
      else object.hasUnusableCounts = true;
    }
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
export function readUsageObjects(
  top: AnswerLevel,
  response: AnswerLevel | undefined,
  answerer: Answerer,
): UsageObjects | undefined {
  let objects: UsageObjects | undefined;
  for (const level of [top, response]) {
    if (level === undefined) continue;
    if (level.usages === undefined && level.metadata === undefined && !level.hasAnswer) continue;
    const prefix = level.place;
    level.forEachUsage((usage, name) => {
      objects ??= new UsageObjects(answerer);
      objects.add(usage, prefix === '' ? name : `${prefix}.${name}`);
    });
    if (!level.hasAnswer) continue;
    const body = bodyOf(level.object);
    if (body !== undefined) {
      objects ??= new UsageObjects(answerer);
      objects.addBody(body, prefix);
    }
    if (!level.hasMore) continue;
    for (const { model, usage, place, isOfParts } of toolUsages(level.object)) {
      objects ??= new UsageObjects(answerer);
      const at = prefix === '' ? place : `${prefix}.${place}`;
      if (isOfParts) objects.addParts(usage, at);
      else if (model === undefined) objects.add(usage, at);
      else objects.addOther(model, usage, at);
    }
  }
  return objects;
}

const bodyNames = [
  ...['prompt_token_count', 'generation_token_count', 'prompt_eval_count', 'eval_count'],
  ...['inputTextTokenCount', 'server_side_tool_usage'],
];

/** More samplings and tools of other models than any answer has. */
const maxOtherItems = 1_000;

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

/** Marks counts as unread that differ from those of the object that counts. */
export function disputeDifferent<Side extends object>(
  object: UsageObject,
  list: Readonly<Partial<Record<keyof Side, Paths>>>,
  side: Side,
  believed: Side,
): void {
  const asSent = 'totalAsSent' in believed ? believed.totalAsSent : undefined;
  for (const name of Object.keys(list) as (keyof Side)[]) {
    const isSame = (side[name] ?? 0) === (believed[name] ?? 0) || (name === 'total' && side[name] === asSent);
    if (!isSame) object.dispute(list[name] ?? []);
  }
}
