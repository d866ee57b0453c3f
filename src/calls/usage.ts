import type { Money } from '../lib/money.ts';
import { noUnits, type Terms, type UnitName, type Units } from '../lib/units.ts';
import type { Usage } from '../lib/usage-buckets.ts';
import { AnswerLevel, type FlatCount, type FlatValues } from './answer-levels.ts';
import { hasAnnotations, readAnswerUnits } from './answer-units.ts';
import { asReportedCost } from './readers/costs.ts';
import { noTerms } from './readers/terms.ts';
import { toUnits } from './readers/units.ts';
import { cutInput, cutOutput, splitInput, splitOutput } from './split-usage.ts';
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

/** What one event reports about the charge for its call (D26.1). */
export type UsageReading = {
  /** Token counts; null when the event has no usable one. */
  usage: Usage | null;
  units: Units;
  terms: Terms;
  /** The provider's charge by the event itself (D3.11) or by a usage object (D26.4), in US dollars. */
  cost: Money | null;
  /**
   * Paths of unread numbers in usage objects, at most 20, such as `usage.cost_details.upstream`, and names of unusable
   * units and terms.
   */
  unread: readonly string[];
  /** Whether the event has usage that no reader understands (D26.3). */
  isUnknown: boolean;
  flags: UsageFlags;
};

/** Reads what one event reports (D3.10, D26). Never throws. */
export function readUsage(event: JsonObject): UsageReading {
  const top = new AnswerLevel(event);
  const answer = ownObject(event, 'response');
  const response = answer === undefined ? undefined : new AnswerLevel(answer);
  const objects = readUsageObjects(top, response);
  const flat = readFlatCounts(top);
  const tokens = readTokens(flat, objects);
  const cost = readReportedCost(event) ?? objects?.cost?.amount ?? null;
  if (objects?.cost !== undefined && objects.cost.amount !== cost) objects.dispute(objects.cost.paths);
  const units = readUnits(top, response, objects, tokens.usage !== null);
  const { unread, isUnusable } = objects?.finish() ?? nothingUnread;
  const isEmpty = tokens.usage === null && units.units === noUnits && cost === null;
  const isUnknown = isEmpty && (unread.length > 0 || isUnusable);
  return {
    usage: tokens.usage,
    units: units.units,
    terms: readTerms(top, response, objects),
    cost,
    unread: [...unread, ...units.unread, ...namesOf(top, ''), ...namesOf(response, 'response.')],
    isUnknown,
    flags: {
      isReadAsExcludingCache: tokens.isReadAsExcludingCache,
      hasUnusableCounts: flat.hasUnusableCounts || isUnusable,
    },
  };
}

const noEntries: readonly never[] = [];

const nothingUnread = { unread: [], isUnusable: false };

/** The names of a level's terms that are too long. */
const namesOf = (level: AnswerLevel | undefined, prefix: string): readonly string[] =>
  level?.unread?.map((name) => prefix + name) ?? noEntries;

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

const noFlatCounts: FlatCounts = {
  prompt: undefined,
  completion: undefined,
  cacheRead: undefined,
  cacheWrite: undefined,
  inputAudio: undefined,
  reasoning: undefined,
  outputAudio: undefined,
  hasUnusableCounts: false,
};

function readFlatCounts(level: AnswerLevel): FlatCounts {
  if (level.counts === undefined) return noFlatCounts;
  const counts = new FlatReader(level.counts);
  return {
    prompt: counts.read('prompt_tokens') ?? counts.read('input_tokens'),
    completion: counts.read('completion_tokens') ?? counts.read('output_tokens'),
    cacheRead: counts.read('cached_tokens') ?? counts.read('cache_read_tokens'),
    cacheWrite: counts.read('cache_write_tokens'),
    inputAudio: counts.read('input_audio_tokens'),
    reasoning: counts.read('reasoning_tokens'),
    outputAudio: counts.read('output_audio_tokens'),
    hasUnusableCounts: counts.hasUnusable,
  };
}

class FlatReader {
  hasUnusable = false;
  readonly #counts: Readonly<FlatValues>;

  constructor(counts: Readonly<FlatValues>) {
    this.#counts = counts;
  }

  read(name: FlatCount): number | undefined {
    const value = this.#counts[name];
    if (value === undefined) return undefined;
    // Adding 0 turns -0, which JSON can hold, into 0.
    if (isCount(value)) return value + 0;
    this.hasUnusable = true;
    return undefined;
  }
}

const noTokens = { usage: null, isReadAsExcludingCache: false };

/** The tokens of an event in disjoint buckets. Counts that are not fully used are marked as unread. */
function readTokens(
  flat: FlatCounts,
  objects: UsageObjects | undefined,
): { usage: Usage | null; isReadAsExcludingCache: boolean } {
  const nested = objects?.tokens;
  if (nested === undefined && flat === noFlatCounts) return noTokens;
  const input = resolveInput(flat, nested?.input);
  const output = resolveOutput(flat, nested?.output);
  const isEmpty = isUnreported(input) && isUnreported(output);
  const split = isEmpty ? undefined : splitInput(input);
  const usage = split === undefined ? null : { ...split.usage, ...splitOutput(output) };
  if (nested !== undefined && objects?.main !== undefined) {
    if (flat !== noFlatCounts) {
      disputeDifferent(objects.main, nested.paths.input, nested.input, input);
      disputeDifferent(objects.main, nested.paths.output, nested.output, output);
    }
    if (usage !== null) {
      for (const name of cutInput(input, usage)) objects.main.dispute(nested.paths.input[name] ?? []);
      for (const name of cutOutput(output, usage)) objects.main.dispute(nested.paths.output[name] ?? []);
    }
  }
  return { usage, isReadAsExcludingCache: split?.isReadAsExcludingCache ?? false };
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
 * Whether the flat count contradicts the nested one of the same side. If so, the nested side and its parts are ignored,
 * because the parts belong to another total. If both are equal, the nested parts and the provider's convention stay.
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

const nothingCounted = { units: noUnits, unread: [] };

/**
 * Units that the event names itself win over those of usage objects. These win over units counted in the answer. An
 * answer's images don't count if the usage has tokens, because they are then charged by tokens.
 */
function readUnits(
  top: AnswerLevel,
  response: AnswerLevel | undefined,
  objects: UsageObjects | undefined,
  hasTokens: boolean,
): { units: Units; unread: readonly string[] } {
  const hasAnswer = top.hasAnswer || response?.hasAnswer === true;
  if (top.units === undefined && objects?.units === undefined && !hasAnswer) return nothingCounted;
  const units = new Map<UnitName, bigint>();
  const unread: string[] = [];
  for (const [unit, value] of top.units ?? noEntries) {
    if (typeof value === 'number' && value >= 0 && value <= maxTokens) units.set(unit, toUnits(value));
    // A list, such as one of images, is not meant as a count.
    else if (typeof value !== 'object') unread.push(unit);
  }
  for (const [unit, { count, paths }] of objects?.units ?? noEntries) {
    const named = units.get(unit);
    if (named === undefined) units.set(unit, count);
    else if (named !== count) objects?.dispute(paths);
  }
  addAnswerUnits([top, response], hasTokens, units);
  const pages = units.get('pages');
  const isAnnotated = pages !== undefined && [top, response].some((level) => level && hasAnnotations(level.object));
  if (isAnnotated && !units.has('annotated_pages')) units.set('annotated_pages', pages);
  for (const [unit, count] of units) if (count === 0n) units.delete(unit);
  return { units: units.size === 0 ? noUnits : Object.fromEntries(units), unread };
}

function addAnswerUnits(
  levels: readonly (AnswerLevel | undefined)[],
  hasTokens: boolean,
  units: Map<UnitName, bigint>,
): void {
  const shown = new Map<UnitName, number>();
  const models = levels.map((level) => (level === undefined ? undefined : ownValue(level.object, 'model')));
  for (const level of levels) {
    // Only one level is an answer: the event itself or its response.
    if (level?.hasAnswer && shown.size === 0) {
      readAnswerUnits(level.object, models, (unit, count) => shown.set(unit, (shown.get(unit) ?? 0) + count));
    }
  }
  if (hasTokens) shown.delete('images');
  for (const [unit, count] of shown) if (!units.has(unit)) units.set(unit, toUnits(count));
}

/**
 * The terms of a call: those in usage objects win over the response's, and these over the request's. OpenAI's answers
 * never name the tier `batch`. So a batch stays a batch, unless the answer names a tier other than an ordinary one.
 */
function readTerms(top: AnswerLevel, response: AnswerLevel | undefined, objects: UsageObjects | undefined): Terms {
  const ofUsage = objects?.terms ?? noTerms;
  if (top.terms === undefined && response?.terms === undefined) return ofUsage;
  const terms = { ...top.terms, ...response?.terms, ...ofUsage };
  const isBatch = top.terms?.service_tier === 'batch' && ordinaryTiers.has(terms.service_tier);
  return isBatch ? { ...terms, service_tier: 'batch' } : terms;
}

/** Tiers that answers name when the request chose none. */
const ordinaryTiers: ReadonlySet<string | undefined> = new Set(['default', 'standard', 'auto', 'on_demand']);
