import { plainSpanType } from '../../calls/events/plain-span.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { uuidOf } from '../../lib/uuid-of.ts';
import { eventIdOfSpan, timesOf } from './event-of-span.ts';
import { toLookalikeEvent } from './lookalikes.ts';
import { placeAt, type SpanPlace, toIds } from './span-ids.ts';
import type { SpanTags } from './tags.ts';

/** A span of a request. */
export interface SpanNode extends SpanPlace {
  readonly isCall: boolean;
  /** What it says of calls inside it; undefined where it says nothing. */
  readonly said: SpanTags | undefined;
  /** The name in coverage of a span that looks like a call and is not known as one. */
  readonly lookalike?: string | undefined;
}

/** The kinds of spans that are no client, server, producer or consumer. */
const internalKinds: readonly unknown[] = [undefined, 0, 1, 'SPAN_KIND_UNSPECIFIED', 'SPAN_KIND_INTERNAL'];

const ofProtocol = /^(?:http|url|net|db|rpc|messaging)\./;

function isOfProtocol({ kind, attributes }: JsonObject): boolean {
  if (internalKinds.includes(kind) || !Array.isArray(attributes)) return false;
  return (attributes as readonly unknown[]).some(
    (pair) => isJsonObject(pair) && typeof pair.key === 'string' && ofProtocol.test(pair.key),
  );
}

/** The place of a span in the form of OTLP JSON; undefined without valid ids. */
export function toPlace(span: unknown): SpanPlace | undefined {
  const ids = isJsonObject(span) ? toIds(span.traceId, span.spanId) : undefined;
  if (!isJsonObject(span) || ids === undefined) return undefined;
  const parent = toIds(span.traceId, span.parentSpanId);
  return { ...placeAt(ids, parent, timesOf(span)), isOfProtocol: isOfProtocol(span) };
}

const keyOf = ({ trace, span }: Pick<SpanNode, 'trace' | 'span'>): string => trace + span;

/** More spans inside one are not listed. */
const maxInside = 500;

/**
 * The events of those spans that are no calls and may matter to a call of this or another request: spans that say whose
 * the calls inside are, and spans between two calls. A span that says no more than the one around it is listed in its
 * event, so that a trace takes one or two.
 */
export function eventsOfPlainSpans(nodes: readonly SpanNode[]): JsonObject[] {
  if (nodes.every(({ isCall }) => isCall)) return [];
  const byKey = new Map(nodes.map((node) => [keyOf(node), node]));
  const parentOf = (node: SpanNode): SpanNode | undefined =>
    node.parent === '' ? undefined : byKey.get(node.trace + node.parent);
  const mattering = findMattering(nodes, parentOf);
  const kept = new Map<SpanNode, string[]>();
  const holders = new Map<SpanNode, SpanNode>();
  for (const node of outermostFirst(nodes, parentOf)) {
    if (node.isCall || !mattering.has(node)) continue;
    const parent = parentOf(node);
    const holder = parent && (kept.has(parent) ? parent : holders.get(parent));
    const inside = holder && kept.get(holder);
    if (holder !== undefined && inside !== undefined && inside.length < maxInside && saysNoMore(node, holder)) {
      holders.set(node, holder);
      inside.push(node.span);
    } else kept.set(node, []);
  }
  return [...Array.from(kept, ([node, inside]) => toEvent(node, inside)), ...lookalikesOf(nodes, parentOf)];
}

/** The events of spans that look like calls. One that is around or inside a call repeats what that says. */
function lookalikesOf(nodes: readonly SpanNode[], parentOf: ParentOf): JsonObject[] {
  const alike = nodes.filter(({ lookalike }) => lookalike !== undefined);
  if (alike.length === 0) return [];
  const around = new Set(nodes.filter(({ isCall }) => isCall).flatMap((node) => ancestorsOf(node, parentOf)));
  return alike.flatMap<JsonObject>((node) => {
    const isRepeated = around.has(node) || ancestorsOf(node, parentOf).some(({ isCall }) => isCall);
    const id = uuidOf('otel lookalike', node.trace, node.span);
    return isRepeated || node.lookalike === undefined ? [] : toLookalikeEvent(id, node.lookalike);
  });
}

const maxAncestors = 64;

function ancestorsOf(node: SpanNode, parentOf: ParentOf): SpanNode[] {
  const found: SpanNode[] = [];
  for (let at = parentOf(node); at !== undefined && found.length < maxAncestors; at = parentOf(at)) found.push(at);
  return found;
}

const saysNoMore = ({ said }: SpanNode, holder: SpanNode): boolean =>
  said === undefined || Object.entries(said.tags).every(([name, text]) => holder.said?.tags[name] === text);

type ParentOf = (node: SpanNode) => SpanNode | undefined;

/** Spans that say something, are around or inside a call or another request, or are inside one that matters. */
function findMattering(nodes: readonly SpanNode[], parentOf: ParentOf): Set<SpanNode> {
  const around = new Set<SpanNode>();
  for (const node of nodes) {
    if (!node.isCall && node.said === undefined) continue;
    for (let at = parentOf(node); at !== undefined && !around.has(at); at = parentOf(at)) around.add(at);
  }
  const mattering = new Set<SpanNode>();
  for (const node of outermostFirst(nodes, parentOf)) {
    const parent = parentOf(node);
    const isInsideOne = parent === undefined ? node.parent !== '' : parent.isCall || mattering.has(parent);
    const mayHoldCalls = !node.isOfProtocol || around.has(node);
    if (node.said !== undefined || (isInsideOne && mayHoldCalls)) mattering.add(node);
  }
  return mattering;
}

/** Spans after those around them. Spans that name each other as parents are left out. */
function outermostFirst(nodes: readonly SpanNode[], parentOf: ParentOf): SpanNode[] {
  const inside = Map.groupBy(nodes, parentOf);
  const found: SpanNode[] = [...(inside.get(undefined) ?? [])];
  for (let index = 0; index < found.length; index += 1) {
    const node = found[index];
    for (const inner of (node && inside.get(node)) ?? []) found.push(inner);
  }
  return found;
}

const toEvent = ({ trace, span, parent, said, times }: SpanNode, inside: readonly string[]): JsonObject => ({
  event_id: eventIdOfSpan({ traceId: trace, spanId: span }),
  event_type: plainSpanType,
  ...times,
  origin: { trace, span, ...(parent !== '' && { parent }) },
  ...(said && { tags: said.tags, ...(said.weak.length > 0 && { weak_tags: said.weak }) }),
  ...(inside.length > 0 && { spans_inside: inside }),
});
