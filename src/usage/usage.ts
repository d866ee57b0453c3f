import { type JsonObject, ownObject, ownValue } from '../lib/json-object.ts';
import type { Money } from '../lib/money.ts';
import { noUnits, type Terms, type UnitName, type Units } from '../lib/units.ts';
import type { OtherUsage, Usage } from '../lib/usage-buckets.ts';
import { findCharges } from './answer-charges.ts';
import { AnswerLevel, type FlatCount, type FlatValues } from './answer-levels.ts';
import { hasAnnotations, isOtherLength, readAnswerUnits, searchesAlways } from './answer-units.ts';
import { openAnswer } from './envelopes.ts';
import { sumByModel } from './other-usage.ts';
import { Answerer } from './readers/answerer.ts';
import { asReportedCost, readAnswerCost } from './readers/costs.ts';
import { noTerms } from './readers/terms.ts';
import { toUnits } from './readers/units.ts';
import {
  type InputCounts,
  isCount,
  maxTokens,
  noInput,
  noOutput,
  type OutputCounts,
  type ReportedCounts,
} from './readers/usage-counts.ts';
import { numbersIn } from './readers/usage-object.ts';
import { cutInput, cutOutput, splitInput, splitOutput } from './split-usage.ts';
import { countImageCalls } from './tool-usage.ts';
import { disputeDifferent, readUsageObjects, type UsageObjects } from './usage-objects.ts';

type UsageFlags = {
  /** Cache-read and cache-write tokens exceed the prompt count, so the count is taken to exclude them. */
  isReadAsExcludingCache: boolean;
  /** A count was not a whole number from 0 to 10⁹ and was ignored. */
  hasUnusableCounts: boolean;
};

/** What one event reports about the charge for its call (D26.1). */
export type FoundUsage = {
  /** Token counts; null when the event has no usable one. */
  usage: Usage | null;
  units: Units;
  /** The tokens of other models within the call, such as an advisor or a tool's. */
  others: readonly OtherUsage[];
  terms: Terms;
  /** The provider's charge by the event itself (D3.11) or by a usage object (D26.4), in US dollars. */
  cost: Money | null;
  /** Paths of unread numbers, at most 20, such as `usage.cost_details.upstream`, and unusable units and terms. */
  unread: readonly string[];
  /** Whether the event has usage that no reader understands (D26.3). */
  isUnknown: boolean;
  flags: UsageFlags;
};

/** Reads what one event reports (D3.10, D26). Never throws. */
export function readUsage(event: JsonObject): FoundUsage {
  const sent = ownObject(event, 'response');
  const { answer, place, isOfBatch } = sent === undefined ? noAnswer : openAnswer(sent, event);
  const top = new AnswerLevel(isOfBatch ? { service_tier: 'batch', ...event } : event);
  const response = answer === undefined ? undefined : new AnswerLevel(answer, place);
  const objects = readUsageObjects(top, response, new Answerer(event, answer));
  const flat = readFlatCounts(top);
  const tokens = readTokens(flat, objects);
  const cost = readReportedCost(event) ?? objects?.cost?.amount ?? readAnswerCost(answer);
  if (objects?.cost !== undefined && objects.cost.amount !== cost) objects.dispute(objects.cost.paths);
  const units = readUnits(top, response, objects, tokens.usage !== null);
  const others = objects?.others === undefined ? noEntries : sumByModel(objects.others);
  const { unread, isUnusable } = objects?.finish() ?? nothingUnread;
  const isEmpty = tokens.usage === null && units.units === noUnits && others.length === 0 && cost === null;
  const ofEvent = concat(concat(unread, tokens.unread), readUnreadNumbers(event));
  // A paid answer is never a priced 0 (D27.5).
  const charges = isEmpty && ofEvent.length === 0 && answer !== undefined ? findCharges(answer, place) : noEntries;
  const isUnknown = isEmpty && (ofEvent.length > 0 || charges.length > 0 || isUnusable || flat.hasUnusableCounts);
  return {
    usage: tokens.usage,
    units: units.units,
    others,
    terms: readTerms(top, response, objects),
    cost,
    unread: concat(
      concat(concat(ofEvent, charges), units.unread),
      concat(namesOf(top, ''), namesOf(response, `${place}.`)),
    ),
    isUnknown,
    flags: {
      isReadAsExcludingCache: tokens.isReadAsExcludingCache,
      hasUnusableCounts: flat.hasUnusableCounts || isUnusable,
    },
  };
}

const noAnswer = { answer: undefined, place: '', isOfBatch: false };

const noEntries: readonly never[] = [];

/** Nearly all lists of names are empty. */
const concat = (a: readonly string[], b: readonly string[]): readonly string[] =>
  b.length === 0 ? a : a.length === 0 ? b : [...a, ...b];

/** Numbers in a span or in another system's record that no reader knows or that contradict others, by their names there. */
function readUnreadNumbers(event: JsonObject): readonly string[] {
  const numbers = ownObject(event, 'unread_usage');
  return numbers === undefined ? noEntries : numbersIn(numbers);
}

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
  /** Of both sides. It is checked, and never charged itself. */
  all: number | undefined;
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
  all: undefined,
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
    all: counts.read('total_tokens'),
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

type TokensOfEvent = {
  readonly usage: Usage | null;
  readonly isReadAsExcludingCache: boolean;
  /** Flat counts that contradict others. */
  readonly unread: readonly string[];
};

const noTokens: TokensOfEvent = { usage: null, isReadAsExcludingCache: false, unread: [] };

/** The tokens of an event in disjoint buckets. Counts that are not fully used are marked as unread. */
function readTokens(flat: FlatCounts, objects: UsageObjects | undefined): TokensOfEvent {
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
  const isReadAsExcludingCache = split?.isReadAsExcludingCache ?? false;
  const unread = flat === noFlatCounts ? noEntries : readContradictions(flat, { input, output, usage });
  return { usage, isReadAsExcludingCache, unread };
}

/** The flat counts that contradict the others (D27.4): a part that is larger than its whole, and a total of other parts. */
function readContradictions(
  flat: FlatCounts,
  { input, output, usage }: ReportedCounts & { readonly usage: Usage | null },
): string[] {
  const unread: string[] = [];
  if (usage !== null) {
    if (flat.inputAudio !== undefined && cutInput(input, usage).includes('audio')) unread.push('input_audio_tokens');
    const hasParts = flat.reasoning !== undefined || flat.outputAudio !== undefined;
    const cut = hasParts ? cutOutput(output, usage) : [];
    if (flat.reasoning !== undefined && cut.includes('reasoning')) unread.push('reasoning_tokens');
    if (flat.outputAudio !== undefined && cut.includes('audio')) unread.push('output_audio_tokens');
  }
  if (flat.all !== undefined && flat.all !== 0 && !isSumOfSides(flat.all, input, output)) unread.push('total_tokens');
  return unread;
}

/** Whether a total is that of both sides, each with all its parts or as it was sent. */
function isSumOfSides(all: number, input: InputCounts, output: OutputCounts): boolean {
  const cached = (input.cacheRead ?? 0) + (input.cacheWrite ?? 0);
  const prompts = [input.total ?? 0, input.totalAsSent ?? 0, (input.total ?? 0) + cached, (input.total ?? 0) - cached];
  const completions = [output.total ?? 0, output.totalAsSent ?? output.total ?? 0];
  return prompts.some((prompt) => completions.some((completion) => prompt + completion === all));
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
  const { prompt, completion, reasoning, all } = flat;
  // The total shows that the completion leaves reasoning out, as xAI's does.
  const isOnTop = completion !== undefined && reasoning !== undefined && all === (prompt ?? 0) + completion + reasoning;
  return {
    ...base,
    total: base.total ?? (isOnTop ? completion + reasoning : completion),
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
  const models = [top, response].map((level) => (level === undefined ? undefined : ownValue(level.object, 'model')));
  // Sums of requests have their searches apart.
  const isSearch = hasTokens && searchesAlways(models) && ownValue(top.object, 'num_requests') === undefined;
  if (top.units === undefined && objects?.units === undefined && !hasAnswer && !isSearch) return nothingCounted;
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
  if (isSearch && !units.has('web_searches')) units.set('web_searches', toUnits(1));
  const seconds = objects?.units?.get('audio_seconds')?.count;
  if (
    seconds !== undefined &&
    response &&
    isOtherLength(Number(seconds) / 1e12, ownValue(response.object, 'duration'))
  ) {
    unread.push(`${response.place}.duration`);
  }
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
  for (const level of levels) {
    // Only one level is an answer: the event itself or its response.
    if (level?.hasAnswer && shown.size === 0) {
      const media = level.hasMore ? (level === levels[0] ? 'event' : 'response') : 'none';
      const note = (unit: UnitName, count: number) => shown.set(unit, (shown.get(unit) ?? 0) + count);
      readAnswerUnits(level.object, note, media);
    }
  }
  if (hasTokens) shown.delete('images');
  // A caller may know how long the videos are.
  if (units.has('video_seconds')) shown.delete('videos');
  // The tokens are those of the model, not of the tool that made images.
  for (const level of levels) {
    const images = level?.hasMore ? countImageCalls(level.object) : 0;
    if (images > 0) shown.set('images', images);
  }
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
