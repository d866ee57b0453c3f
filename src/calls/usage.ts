import type { Money } from '../lib/money.ts';
import type { TermName, Terms, UnitName, Units } from '../lib/units.ts';
import type { Usage } from '../lib/usage-buckets.ts';
import { AnswerLevel, type FlatCount, flatCounts } from './answer-levels.ts';
import { readAnswerUnits } from './answer-units.ts';
import { asReportedCost } from './readers/costs.ts';
import { toUnits } from './readers/units.ts';
import { splitInput, splitOutput } from './split-usage.ts';
import {
  type InputCounts,
  isCount,
  type JsonObject,
  maxTokens,
  noInput,
  noOutput,
  type OutputCounts,
  ownObject,
  ownValue,
} from './usage-counts.ts';
import { disputeDifferent, readUsageObjects, type UsageObjects } from './usage-objects.ts';

/** Flags of a reading that coverage counts (D3.4, D3.10). */
type UsageFlags = {
  /** Cache-read and cache-write tokens exceed the prompt count, so the count is taken to exclude them. */
  isReadAsExcludingCache: boolean;
  /** A count was not a whole number from 0 to 10⁹ and was ignored. */
  hasUnusableCounts: boolean;
};

/** What one event reports about what its call is charged for (D26.1). */
export type UsageReading = {
  /** Token counts; null when the event has no usable one. */
  usage: Usage | null;
  units: Units;
  terms: Terms;
  /** What a usage object says that the provider charged (D26.4), in US dollars. */
  cost: Money | null;
  /**
   * Paths of numbers in usage objects that change nothing that is read here, such as `usage.cost_details.upstream`, and
   * names of unusable units and terms; at most 20.
   */
  unread: readonly string[];
  /** Whether the event has usage of which nothing is understood (D26.3). */
  isUnknown: boolean;
  flags: UsageFlags;
};

/** Reads what one event reports (D3.10, D26). Never throws. */
export function readUsage(event: JsonObject): UsageReading {
  const top = new AnswerLevel(event);
  const answer = ownObject(event, 'response');
  const response = answer === undefined ? undefined : new AnswerLevel(answer);
  const objects = readUsageObjects(top, response);
  const flat = readFlatCounts(top.counts);
  const tokens = readTokens(flat, objects);
  const units = readUnits(top, response, objects, tokens.usage !== null);
  const { unread, isUnusable } = objects?.finish() ?? { unread: [], isUnusable: false };
  const isEmpty = tokens.usage === null && units.units === noUnits && (objects?.cost ?? null) === null;
  const isUnknown = isEmpty && (unread.length > 0 || isUnusable);
  const names = [...units.unread, ...(top.unread ?? []), ...(response?.unread ?? []).map((name) => `response.${name}`)];
  return {
    usage: tokens.usage,
    units: units.units,
    terms: readTerms(top, response, objects),
    cost: objects?.cost ?? null,
    unread: names.length === 0 ? unread : [...unread, ...names],
    isUnknown,
    flags: {
      isReadAsExcludingCache: tokens.isReadAsExcludingCache,
      hasUnusableCounts: flat.hasUnusableCounts || isUnusable,
    },
  };
}

/** The cost in US dollars that an event reports for its call (D3.11); null unless it is from 0 to 100,000. */
export const readReportedCost = (event: JsonObject): Money | null => asReportedCost(ownValue(event, 'cost'));

/** Counts at the top level of an event, by OpenAI's convention: totals include their parts. */
type FlatCounts = {
  prompt: number | undefined;
  completion: number | undefined;
  cacheRead: number | undefined;
  cacheWrite: number | undefined;
  inputAudio: number | undefined;
  reasoning: number | undefined;
  outputAudio: number | undefined;
  hasUnusableCounts: boolean;
};

const noCounts: readonly unknown[] = [];

function readFlatCounts(values: readonly unknown[] = noCounts): FlatCounts {
  let hasUnusableCounts = false;
  const read = (...names: readonly FlatCount[]): number | undefined => {
    for (const name of names) {
      const value = values[flatCounts.indexOf(name)];
      if (value === undefined) continue;
      // Adding 0 turns -0, which JSON can hold, into 0.
      if (isCount(value)) return value + 0;
      hasUnusableCounts = true;
    }
    return undefined;
  };
  return {
    prompt: read('prompt_tokens', 'input_tokens'),
    completion: read('completion_tokens', 'output_tokens'),
    cacheRead: read('cached_tokens', 'cache_read_tokens'),
    cacheWrite: read('cache_write_tokens'),
    inputAudio: read('input_audio_tokens'),
    reasoning: read('reasoning_tokens'),
    outputAudio: read('output_audio_tokens'),
    hasUnusableCounts,
  };
}

/** The tokens of an event in disjoint buckets; what is not used whole is counted as unread. */
function readTokens(
  flat: FlatCounts,
  objects: UsageObjects | undefined,
): { usage: Usage | null; isReadAsExcludingCache: boolean } {
  const nested = objects?.tokens;
  const input = resolveInput(flat, nested?.input);
  const output = resolveOutput(flat, nested?.output);
  const ofInput = isUnreported(input) ? undefined : splitInput(input);
  const ofOutput = isUnreported(output) ? undefined : splitOutput(output);
  if (nested !== undefined && objects?.main !== undefined) {
    disputeDifferent(objects.main, nested.paths.input, nested.input, input);
    disputeDifferent(objects.main, nested.paths.output, nested.output, output);
    for (const name of ofInput?.cut ?? []) objects.main.dispute(nested.paths.input[name] ?? []);
    for (const name of ofOutput?.cut ?? []) objects.main.dispute(nested.paths.output[name] ?? []);
  }
  if (ofInput === undefined && ofOutput === undefined) return { usage: null, isReadAsExcludingCache: false };
  const inputSplit = ofInput ?? splitInput(noInput);
  const outputSplit = ofOutput ?? splitOutput(noOutput);
  return {
    usage: { ...inputSplit.usage, ...outputSplit.usage },
    isReadAsExcludingCache: inputSplit.isReadAsExcludingCache,
  };
}

/** Flat counts win over nested ones; see `isOutvoted`. */
function resolveInput(flat: FlatCounts, nested: InputCounts | undefined): InputCounts {
  const base = nested === undefined || isOutvoted(flat.prompt, nested) ? noInput : nested;
  return {
    ...base,
    total: base.total ?? flat.prompt,
    cacheRead: flat.cacheRead ?? base.cacheRead,
    cacheWrite: flat.cacheWrite ?? base.cacheWrite,
    audio: flat.inputAudio ?? base.audio,
  };
}

function resolveOutput(flat: FlatCounts, nested: OutputCounts | undefined): OutputCounts {
  const base = nested === undefined || isOutvoted(flat.completion, nested) ? noOutput : nested;
  return {
    ...base,
    total: base.total ?? flat.completion,
    reasoning: flat.reasoning ?? base.reasoning,
    audio: flat.outputAudio ?? base.audio,
  };
}

/**
 * Whether the flat count contradicts the nested one of the same side. If it does, the nested side is ignored with its
 * parts, because they belong to another total. A flat count equal to the nested one keeps the nested parts and the
 * provider's convention.
 */
function isOutvoted(
  flatTotal: number | undefined,
  nested: { total: number | undefined; totalAsSent: number | undefined },
) {
  return flatTotal !== undefined && flatTotal !== nested.total && flatTotal !== nested.totalAsSent;
}

function isUnreported(side: Readonly<Record<string, number | undefined>>): boolean {
  for (const name in side) if (side[name] !== undefined) return false;
  return true;
}

const noUnits: Units = {};

/**
 * Units that the event names itself win over those of usage objects, and these over what an answer shows. Images are
 * charged by tokens where the usage counts tokens.
 */
function readUnits(
  top: AnswerLevel,
  response: AnswerLevel | undefined,
  objects: UsageObjects | undefined,
  hasTokens: boolean,
): { units: Units; unread: readonly string[] } {
  const units = new Map<UnitName, bigint>();
  const unread: string[] = [];
  for (const [unit, value] of top.units ?? noEntries) {
    if (typeof value === 'number' && value >= 0 && value <= maxTokens) units.set(unit, toUnits(value));
    // A list of images, say, is no count that went wrong.
    else if (typeof value !== 'object') unread.push(unit);
  }
  for (const [unit, { count, paths }] of objects?.units ?? noEntries) {
    const named = units.get(unit);
    if (named === undefined) units.set(unit, count);
    else if (named !== count) objects?.dispute(paths);
  }
  addAnswerUnits([top, response], hasTokens, units);
  for (const [unit, count] of units) if (count === 0n) units.delete(unit);
  return { units: units.size === 0 ? noUnits : Object.fromEntries(units), unread };
}

const noEntries: readonly never[] = [];

function addAnswerUnits(
  levels: readonly (AnswerLevel | undefined)[],
  hasTokens: boolean,
  units: Map<UnitName, bigint>,
): void {
  if (!levels.some((level) => level?.hasAnswer)) return;
  const shown = new Map<UnitName, number>();
  const models = levels.map((level) => (level === undefined ? undefined : ownValue(level.object, 'model')));
  for (const level of levels) {
    // An event that is an answer itself has no other in its response.
    if (level?.hasAnswer && shown.size === 0) {
      readAnswerUnits(level.object, models, (unit, count) => shown.set(unit, (shown.get(unit) ?? 0) + count));
    }
  }
  if (hasTokens) shown.delete('images');
  for (const [unit, count] of shown) if (!units.has(unit)) units.set(unit, toUnits(count));
}

const noTerms: Terms = {};

/**
 * The terms of a call: those inside usage objects win over the response's, and these over the request's. Answers never
 * name batches of OpenAI, so a batch stays one unless the answer names another tier than the ordinary.
 */
function readTerms(top: AnswerLevel, response: AnswerLevel | undefined, objects: UsageObjects | undefined): Terms {
  const ofUsage = objects === undefined || objects.terms.size === 0 ? undefined : objects.terms;
  if (top.terms === undefined && response?.terms === undefined && ofUsage === undefined) return noTerms;
  const terms = new Map<TermName, string>();
  for (const level of [top.terms, response?.terms, ofUsage]) {
    for (const [term, value] of level ?? noEntries) {
      const isBatch = term === 'service_tier' && terms.get(term) === 'batch' && ordinaryTiers.has(value);
      if (!isBatch) terms.set(term, value);
    }
  }
  return Object.fromEntries(terms);
}

/** Tiers that answers name without the request's choosing one. */
const ordinaryTiers: ReadonlySet<string> = new Set(['default', 'standard', 'auto', 'on_demand']);
