import { hashAnswerIds } from '../../calls/events/hash-answer-ids.ts';
import { DroppedKeys } from '../../lib/dropped-keys.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { isWord, plainErrorType } from '../../lib/plain-texts.ts';
import { plainUsage } from '../../lib/plain-usage.ts';
import { shortHash } from '../../lib/short-hash.ts';
import { type KeptParts, plainParts } from './kept-parts.ts';
import { asText, isTag, metadataText } from './places.ts';

/** The outcome of one call, read from a record of another system. Absent parts are undefined. */
export interface Outcome {
  /** The system that made the record. The event has the kept parts of the record under this name. */
  readonly origin: string;
  /** A UUID (`uuidOf`). */
  readonly id: string;
  /** The event type before its phase. */
  readonly type: string;
  readonly failed: boolean;
  /** False for a record of something that is no request to a model: its event belongs to no call. Default: true. */
  readonly isCall?: boolean | undefined;
  /** Milliseconds since 1970. */
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
  readonly elapsedMs?: number | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  /** Dimensions and other tags. Of several with one name, the first counts. */
  readonly tags: readonly Tag[];
  /** The call's usage, units and terms, as fields of an event (D3.10, D26.1). */
  readonly usage: JsonObject;
  /** The cost that the other system computed, in US dollars. */
  readonly reportedCost?: number | undefined;
  readonly isFromGatewayCache?: boolean | undefined;
  /** The ids of the provider's answer, and the gateway's own of it. An answer from the gateway's cache has none. */
  readonly answerIds?: readonly unknown[];
  readonly error?: { readonly type: string | undefined; readonly message: string | undefined } | undefined;
  /** The kept parts of the record, and how they are kept without content. */
  readonly kept: JsonObject;
  readonly parts: KeptParts;
  /** The places of parts that are not kept. */
  readonly dropped: readonly string[];
}

export type Tag = readonly [name: string, value: unknown];

const maxTags = 50;
const maxTagKey = 128;
const maxText = 1_024;
const maxType = 190;
const maxErrorMessage = 2_000;
const maxDepth = 12;

/**
 * The event of an outcome, as a client would post it. It stays within the limits of D3.5 for any record. Unless
 * the project keeps content, the message of an error and whatever else may repeat a prompt is left out (D14.5).
 */
export function toEvent(outcome: Outcome, keepsContent: boolean): JsonObject {
  const droppedNames = [...outcome.dropped];
  const { startMs, endMs, elapsedMs, error, failed, origin } = outcome;
  const tags = toTags(outcome.tags, droppedNames);
  const usage = shallow(outcome.usage, maxDepth, '', droppedNames) as JsonObject;
  const kept = shallow(outcome.kept, maxDepth, '', droppedNames) as JsonObject;
  const dropped = new DroppedKeys();
  for (const name of droppedNames) dropped.add(name);
  const type = keepsContent || isWord(outcome.type) ? outcome.type.slice(0, maxType) : `${origin}.call`;
  const errorType = keepsContent ? error?.type?.slice(0, maxText) : plainErrorType(error?.type);
  const fields = {
    model: fitting('model', outcome.model, dropped),
    provider: fitting('provider', outcome.provider, dropped),
    ...(keepsContent ? usage : (plainUsage(usage, dropped) as JsonObject)),
    reported_cost: outcome.reportedCost,
    gateway_cache: outcome.isFromGatewayCache === true ? true : undefined,
    elapsed_ms: elapsedMs ?? spanMs(startMs, endMs),
    error_type: failed ? (errorType ?? 'error') : undefined,
    error_message: keepsContent ? error?.message?.slice(0, maxErrorMessage) : undefined,
  };
  if (!keepsContent && error?.message !== undefined) dropped.add('error_message');
  const record = keepsContent ? kept : plainParts(kept, outcome.parts, dropped);
  const at = endMs ?? startMs;
  return {
    event_id: outcome.id,
    event_type: `${type}${outcome.isCall === false ? '' : failed ? '.error' : '.after'}`,
    ...(at !== undefined && { timestamp: new Date(at).toISOString() }),
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    origin: { scope: shortHash(origin), emitter: origin, answers: hashAnswerIds(outcome.answerIds ?? []) },
    tags,
    [origin]: record,
    ...dropped.toFields('dropped'),
  };
}

const spanMs = (startMs: number | undefined, endMs: number | undefined): number | undefined =>
  startMs === undefined || endMs === undefined || endMs < startMs ? undefined : endMs - startMs;

/** A name of at most 1,024 characters; a longer one is dropped. */
function fitting(name: string, text: string | undefined, dropped: DroppedKeys): string | undefined {
  if (text === undefined || text.length <= maxText) return text;
  dropped.add(name);
  return undefined;
}

function toTags(all: readonly Tag[], dropped: string[]): Record<string, string> {
  const tags = new Map<string, string>();
  for (const [name, value] of all) {
    const text = asText(value);
    if (text === undefined || name === '' || tags.has(name)) continue;
    if (name.length > maxTagKey || text.length > maxText || tags.size >= maxTags) {
      dropped.push(`tags.${name.slice(0, maxTagKey)}`);
    } else tags.set(name, text);
  }
  return Object.fromEntries(tags);
}

/** A copy without parts below a depth. Records may be nested very deeply, and events are written recursively. */
function shallow(value: unknown, depth: number, path: string, dropped: string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) {
    dropped.push(path);
    return undefined;
  }
  const inner = (name: string, item: unknown) =>
    shallow(item, depth - 1, path === '' ? name : `${path}.${name}`, dropped);
  if (Array.isArray(value)) return value.map((item, index) => inner(String(index), item) ?? null);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inner(name, item)]));
}

/** The scalar members of an object of metadata, as tags. */
export const tagsOf = (bag: JsonObject | undefined): Tag[] =>
  Object.entries(bag ?? {}).filter(([, value]) => metadataText(value) !== undefined);

/** Tags for a list of texts: `name:value` or `name=value`. Any other text becomes a tag with the value `true`. */
export const tagsOfTexts = (list: readonly unknown[] | undefined): Tag[] =>
  (list ?? []).flatMap((item): Tag[] => {
    if (typeof item !== 'string' || !isTag(item)) return [];
    const [, name = '', value = ''] = /^([^:=]+)[:=]\s*(.+)$/s.exec(item.trim()) ?? [];
    return name === '' ? [[item.trim(), 'true']] : [[name.trim(), value.trim()]];
  });
