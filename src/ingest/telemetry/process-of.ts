import type { JsonObject } from '../../lib/json-object.ts';
import { shortHash } from '../../lib/short-hash.ts';

const known = new WeakMap<JsonObject, string>();

/** A text that is equal for spans of one process: a hash of its resource's attributes; '' without any. */
export function processOf(resource: JsonObject | undefined): string {
  if (resource === undefined || !Array.isArray(resource.attributes) || resource.attributes.length === 0) return '';
  let process = known.get(resource);
  if (process === undefined) {
    const attributes = resource.attributes as readonly unknown[];
    process = shortHash(JSON.stringify(attributes.map((pair) => JSON.stringify(pair)).sort()));
    known.set(resource, process);
  }
  return process;
}
