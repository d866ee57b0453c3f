import { type Attributes, isJson, readAttributes } from './otlp/attributes.ts';
import { keyOf, type SpanIds, toIds } from './span-ids.ts';

/** The most spans around a call that are read. */
const maxDepth = 32;

interface Around {
  readonly attributes: Attributes;
  readonly parent: SpanIds | undefined;
}

/**
 * The spans of one request, to find those around a call. Libraries put the customer and the user on the outermost
 * span and the usage on the innermost. A batch usually has both, because they end within moments of each other.
 */
export class SpansAround {
  readonly #decoders = new Map<string, () => unknown>();
  readonly #read = new Map<string, Around | undefined>();

  /** Notes a span by its key; it is decoded only if it encloses a call. */
  add(key: string, decode: () => unknown): void {
    this.#decoders.set(key, decode);
  }

  /** The attributes of the enclosing spans, from this parent outwards, the nearest first. */
  attributesAround(parent: SpanIds | undefined): Attributes[] {
    const found: Attributes[] = [];
    for (let at = parent; at !== undefined && found.length < maxDepth; ) {
      const around = this.#find(keyOf(at));
      if (around === undefined) break;
      found.push(around.attributes);
      at = around.parent;
    }
    return found;
  }

  /** The attributes of a span; undefined if it can't be read. */
  attributesOf(key: string): Attributes | undefined {
    return this.#find(key)?.attributes;
  }

  #find(key: string): Around | undefined {
    if (!this.#read.has(key)) this.#read.set(key, readAround(this.#decoders.get(key)?.()));
    return this.#read.get(key);
  }
}

function readAround(span: unknown): Around | undefined {
  if (!isJson(span)) return undefined;
  return {
    attributes: readAttributes(span.attributes) ?? new Map<string, unknown>(),
    parent: toIds(span.traceId, span.parentSpanId),
  };
}
