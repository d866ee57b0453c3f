import type { Attributes } from '../attribution.ts';
import { type Said, saidBy } from './merge-tags.ts';
import { originOf } from './origin.ts';

/** A span that is no call: it may be between two calls, or name whose call one inside it is. */
export interface PlainSpan extends Said {
  readonly trace: string;
  readonly span: string;
  readonly parent: string;
  /** The ids of spans inside it that say nothing more. */
  readonly inside: readonly string[];
  /** In milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
}

/** Events with a span that is no call: calls inside take its tags, and are known to be inside others (D27.6). */
export const plainSpanType = 'farthing.span.before';

/** The field of the log that marks such an event, and lists the spans inside it that say nothing more. */
const field = 'spans_inside';

const maxInside = 1_000;

/** Notes the spans inside the span of an event, if it is of this type. */
export function noteSpansInside(event: Readonly<Record<string, unknown>>, fields: Record<string, string>): void {
  if (event.event_type !== plainSpanType) return;
  const inside = Array.isArray(event.spans_inside) ? (event.spans_inside as readonly unknown[]) : [];
  fields[field] = inside
    .filter((id) => typeof id === 'string' && /^[\da-f]{16}$/.test(id))
    .slice(0, maxInside)
    .join(' ');
}

type Fields = Readonly<Record<string, string>>;

export const isPlainSpan = ({ fields }: { readonly fields: Fields }): boolean => fields[field] !== undefined;

/** The condition for events of the log that hold none, in SQL. */
export const isNoPlainSpan = `NOT mapContains(fields, '${field}')`;

/** The span that an event of the log holds; undefined if it holds none. */
export function plainSpanOf(event: Attributes & { readonly timeMs: number }): PlainSpan | undefined {
  const origin = isPlainSpan(event) ? originOf(event.fields) : undefined;
  if (origin === undefined) return undefined;
  const { trace, span, parent } = origin;
  const inside = event.fields[field]?.split(' ').filter((id) => id !== '') ?? [];
  const startMs = event.timeMs - Number(event.fields.elapsed_ms ?? 0);
  return { trace, span, parent, inside, startMs, endMs: event.timeMs, ...saidBy(event) };
}
