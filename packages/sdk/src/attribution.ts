import { type Dimensions, dimensions } from './dimensions.ts';
import { isObject, objectAt } from './json.ts';

type Scalar = string | number | boolean | null | undefined;

/** Whom and what a call is for. */
export interface Attribution extends Dimensions {
  /** Any further tags. */
  tags?: Readonly<Record<string, Scalar>> | undefined;
}

/** The part of `AsyncLocalStorage` that this package needs. */
export interface AttributionStore {
  run<Result>(value: unknown, fn: () => Result): Result;
  getStore(): unknown;
}

/** `node:async_hooks` of a runtime, reached without an import, which a bundle for an edge runtime could not resolve. */
interface Runtime {
  process?: { getBuiltinModule?: (name: string) => { AsyncLocalStorage?: new () => AttributionStore } | undefined };
  AsyncLocalStorage?: new () => AttributionStore;
}

/** The runtime's own store; undefined where it has none. */
export function findStore(): AttributionStore | undefined {
  const { process, AsyncLocalStorage } = globalThis as unknown as Runtime;
  const Store = process?.getBuiltinModule?.('node:async_hooks')?.AsyncLocalStorage ?? AsyncLocalStorage;
  return Store && new Store();
}

/** Holds only until the function returns, so code after its first `await` is outside. */
export class SynchronousStore implements AttributionStore {
  #value: unknown;

  run<Result>(value: unknown, fn: () => Result): Result {
    const before = this.#value;
    this.#value = value;
    try {
      return fn();
    } finally {
      this.#value = before;
    }
  }

  getStore(): unknown {
    return this.#value;
  }
}

/** The tags of an event by the limits of the intake, which refuses an event that exceeds them. */
export type Tags = Readonly<Record<string, string>>;

const [maxKey, maxValue] = [128, 1024];
/** Of the 100 tags that the intake takes, some are kept for the dimensions. */
const maxTags = 100 - dimensions.length;

/** A text that the intake takes: at most so many characters. */
export const clip = (text: string, most = maxValue): string => (text.length > most ? text.slice(0, most) : text);

/** The tags of an attribution, added to those of outer ones. An inner value wins. */
export function toTags(attribution: unknown, outer: Tags = {}): Tags {
  if (!isObject(attribution)) return outer;
  const tags: Record<string, string> = { ...outer };
  const add = (key: string, value: unknown, most: number) => {
    const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    if (isScalar && (key in tags || Object.keys(tags).length < most)) tags[clip(key, maxKey)] = clip(String(value));
  };
  for (const [key, value] of Object.entries(objectAt(attribution, 'tags'))) add(key, value, maxTags);
  for (const name of dimensions) add(name, attribution[name], 100);
  return tags;
}
