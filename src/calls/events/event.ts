import { z } from 'zod';
import { isLonger } from '../../lib/code-points.ts';
import { toFaults } from '../../lib/faults.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { formatMoney, type Money } from '../../lib/money.ts';
import { type Fault, toPointer } from '../../lib/problem.ts';
import type { Units } from '../../lib/units.ts';
import { usageBuckets } from '../../lib/usage-buckets.ts';
import { openAnswer } from '../../usage/envelopes.ts';
import { geoOfModel } from '../../usage/model-geo.ts';
import { formatOtherUsage, otherUsageField } from '../../usage/other-usage.ts';
import { asReportedCost } from '../../usage/readers/costs.ts';
import { type FoundUsage, readReportedCost, readUsage } from '../../usage/usage.ts';
import { attributeFields, type Dimensions, dimensionTags, resolveDimensions } from '../attribution.ts';
import { noteWeakTags } from './merge-tags.ts';
import { noteOrigin } from './origin.ts';
import { noteSpansInside } from './plain-span.ts';

/** The phase of a call that an event reports (D3.8); a custom event belongs to no call. */
export type Phase = 'custom' | 'before' | 'error' | 'after';

/** Stored beside the text of an event: all that calls are made from, so SQL never reads the text. */
export interface EventColumns {
  readonly eventId: string;
  readonly eventType: string;
  readonly phase: Phase;
  /** Milliseconds since 1970 (D3.9). */
  readonly eventTimeMs: number;
  /** Whether the event has a usable timestamp (D4.2). */
  readonly hasTimestamp: boolean;
  readonly tags: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  readonly dimensions: Dimensions;
  /** Token counts in the order of `usageBuckets`; empty when the event reports no usage. */
  readonly usage: readonly number[];
  readonly units: Units;
  readonly cost: Money | null;
  /** The parts of the event that could not be used, for coverage (D3.4, D3.10). */
  readonly ignored: readonly string[];
}

export interface EventLimits {
  readonly maxTags: number;
}

const maxDimensionLength = 1_024;
const maxTagKeyLength = 128;

const dimensionValue = z.string().refine((text) => !isLonger(text, maxDimensionLength), {
  error: `must have at most ${maxDimensionLength} characters`,
  params: { code: 'too_long' },
});
const tokenCount = z.number().int().min(0).max(1_000_000_000);

/** The fields whose type is checked (D3.4). `null` counts as absent; all others are free-form and kept. */
export const eventSchema = z.object({
  event_id: z.guid({ error: 'must be a UUID' }).describe('One UUID per AI call, shared by its events.'),
  event_type: z
    .string()
    .min(1)
    .refine((text) => !isLonger(text, 200), { error: 'must have at most 200 characters', params: { code: 'too_long' } })
    .describe('Free-form; by convention it ends in .before, .after or .error.'),
  model: dimensionValue.nullish(),
  provider: dimensionValue.nullish(),
  elapsed_ms: z.number().min(0).nullish().describe('Milliseconds.'),
  prompt_tokens: tokenCount.nullish(),
  completion_tokens: tokenCount.nullish(),
  error_type: z.string().nullish(),
  error_message: z.string().nullish(),
});

export type EventResult =
  | { readonly ok: true; readonly columns: EventColumns }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** Validates an event and reads its columns. Reports every fault, with pointers into the event. */
export function readEvent(value: unknown, receivedAtMs: number, limits: EventLimits): EventResult {
  if (!isJsonObject(value)) {
    return { ok: false, faults: [{ pointer: '', code: 'invalid_type', message: 'must be a JSON object' }] };
  }
  const parsed = eventSchema.safeParse(value);
  const tags = readTags(value.tags, limits);
  const faults = [...(parsed.success ? [] : toFaults(parsed.error, value)), ...tags.faults];
  if (!parsed.success || faults.length > 0) return { ok: false, faults };

  const known = parsed.data;
  const ignored: string[] = [];
  const fields = readFields(value, ignored);
  if (known.model) fields.model = known.model;
  if (known.provider) fields.provider = known.provider;
  if (known.error_type) fields.error_type = known.error_type;
  if (typeof known.elapsed_ms === 'number') fields.elapsed_ms = String(known.elapsed_ms);

  const phase = phaseOf(known.event_type);
  if (phase !== 'custom') {
    noteOrigin(value, fields);
    noteWeakTags(value, fields);
    noteSpansInside(value, fields);
  }
  const timestamp = readTimestamp(value.timestamp, receivedAtMs);
  if (isPresent(value.timestamp) && timestamp === undefined) ignored.push('timestamp');
  const cost = readReportedCost(value);
  if (isPresent(value.cost) && cost === null) ignored.push('cost');
  if (value.aborted === true) fields.aborted = 'true';
  noteGateway(value, fields, ignored);
  const found = phase === 'custom' ? undefined : readUsage(value);
  const reported = found?.usage;
  if (found) noteUsage(found, fields, ignored);
  // The store keeps only well-formed text.
  for (const name in fields) fields[name] = fields[name]?.toWellFormed() ?? '';

  return {
    ok: true,
    columns: {
      eventId: known.event_id.toLowerCase(),
      eventType: known.event_type.toWellFormed(),
      phase,
      eventTimeMs: timestamp ?? receivedAtMs,
      hasTimestamp: timestamp !== undefined,
      tags: tags.tags,
      fields,
      dimensions: resolveDimensions({ tags: tags.tags, fields }),
      usage: reported ? usageBuckets.map((bucket) => reported[bucket]) : [],
      units: found?.units ?? {},
      cost: found ? found.cost : cost,
      ignored,
    },
  };
}

/** Adds the terms of a call to its fields, and unusable terms to `ignored`. */
function noteUsage(
  { terms, others, unread, isUnknown, flags }: FoundUsage,
  fields: Record<string, string>,
  ignored: string[],
): void {
  Object.assign(fields, terms);
  const geo = terms.geo === undefined && fields.model !== undefined ? geoOfModel(fields.model) : undefined;
  if (geo !== undefined) fields.geo = geo;
  if (others.length > 0) fields[otherUsageField] = formatOtherUsage(others);
  if (isUnknown) fields.unknown_usage = 'true';
  if (flags.hasUnusableCounts) ignored.push('usage');
  if (flags.isReadAsExcludingCache) ignored.push('prompt_tokens_excluding_cache');
  if (unread.length > 0) ignored.push(...unread);
}

const maxRequests = 1_000_000_000;

/** Adds what a gateway or an export says of the call (D16): a cost that counts without a price unless it says otherwise, its cache, a sum of calls. */
function noteGateway(event: Record<string, unknown>, fields: Record<string, string>, ignored: string[]): void {
  const { reported_cost: reported, gateway_cache: cached, num_requests: requests } = event;
  const amount = asReportedCost(reported);
  if (amount !== null) fields.reported_cost = formatMoney(amount);
  else if (isPresent(reported)) ignored.push('reported_cost');
  if (event.reported_cost_counts === false) fields.reported_cost_counts = 'false';
  if (cached === true) fields.gateway_cache = 'true';
  if (typeof event.usage_not_reported === 'boolean') fields.usage_not_reported = String(event.usage_not_reported);
  if (event.may_be_sum === true) fields.may_be_sum = 'true';
  if (typeof event.withdrawn === 'boolean') fields.withdrawn = String(event.withdrawn);
  if (isPresent(requests)) {
    if (Number.isInteger(requests) && Number(requests) >= 1 && Number(requests) <= maxRequests)
      fields.num_requests = String(requests);
    else ignored.push('num_requests');
  }
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** The phase that the last segment of an event type names (D3.8). */
function phaseOf(eventType: string): Phase {
  const last = eventType.slice(eventType.lastIndexOf('.') + 1);
  return last === 'before' || last === 'after' || last === 'error' ? last : 'custom';
}

/** Inherits nothing, so `__proto__` is a key. The keys of `Object.create(null)` take several times as long to list. */
class Dictionary {
  [name: string]: string;
}
Object.setPrototypeOf(Dictionary.prototype, null);
Reflect.deleteProperty(Dictionary.prototype, 'constructor');

/** A scalar as the text of a tag: numbers and booleans become strings (D3.4). */
const asText = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value.toWellFormed()
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined;

function readTags(value: unknown, { maxTags }: EventLimits): { tags: Record<string, string>; faults: Fault[] } {
  const tags = new Dictionary();
  const faults: Fault[] = [];
  if (!isPresent(value)) return { tags, faults };
  if (!isJsonObject(value)) {
    faults.push({ pointer: '/tags', code: 'invalid_type', message: 'must be an object of strings' });
    return { tags, faults };
  }
  const keys = Object.keys(value);
  if (keys.length > maxTags) {
    faults.push({
      pointer: '/tags',
      code: 'too_many',
      message: `must have at most ${maxTags} tags; there are ${keys.length}`,
    });
    return { tags, faults };
  }
  for (const key of keys) {
    const refuse = (code: Fault['code'], message: string) =>
      faults.push({ pointer: toPointer(['tags', key]), code, message });
    if (isLonger(key, maxTagKeyLength)) {
      refuse('too_long', `must have a key of at most ${maxTagKeyLength} characters`);
      continue;
    }
    if (value[key] === null) continue;
    const text = asText(value[key]);
    if (text === undefined) {
      refuse('invalid_type', 'must be a string, a number or a boolean');
    } else if (isLonger(text, maxDimensionLength)) {
      refuse('too_long', `must have at most ${maxDimensionLength} characters`);
    } else if (text !== '' || !dimensionTags.has(key)) {
      tags[key.toWellFormed()] = text;
    }
  }
  return { tags, faults };
}

/** Further fields that attribution uses; unusable ones go to `ignored`, never refused (D3.4). */
function readFields(event: Record<string, unknown>, ignored: string[]): Record<string, string> {
  const fields = new Dictionary();
  const take = (name: string, value: unknown) => {
    if (!isPresent(value) || value === '') return;
    if (typeof value !== 'string' || isLonger(value, maxDimensionLength)) ignored.push(name);
    else fields[name] = value;
  };
  for (const name of attributeFields) take(name, event[name]);
  if (isJsonObject(event.response)) take('response.model', openAnswer(event.response, event).answer.model);
  return fields;
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const earliestMs = Date.UTC(2000, 0, 1);
const aheadMs = 24 * 3_600_000;

/** The number of days in a month; January is 1. */
const daysInMonth = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31;

/** The timestamp of an event, in milliseconds since 1970; undefined when it is not usable (D3.9). */
function readTimestamp(value: unknown, receivedAtMs: number): number | undefined {
  if (typeof value !== 'string') return undefined;
  const match = rfc3339.exec(value);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', offset = ''] = match;
  // RFC 3339 has leap seconds and JavaScript has none: second 60 counts as 59.
  const seconds = second === '60' ? '59' : second;
  const isAsParsed = value[10] === 'T' && second === seconds && fraction.length <= 4 && offset === 'Z';
  const text = isAsParsed
    ? value
    : `${year}-${month}-${day}T${hour}:${minute}:${seconds}${fraction.slice(0, 4)}${offset.toUpperCase()}`;
  const ms = Date.parse(text);
  // Date.parse turns 30 February into a day of March, but a day that does not exist is not usable.
  if (Number.isNaN(ms) || Number(day) > daysInMonth(Number(year), Number(month))) return undefined;
  return ms >= earliestMs && ms <= receivedAtMs + aheadMs ? ms : undefined;
}
