import { remembered } from '../../../lib/remembered.ts';

type Named = ReadonlyMap<string, unknown>;

/** What was made of one set of names, by what it was made for. */
type Made = WeakMap<object, unknown>;

/** By the names as JSON. */
const ofNames = remembered((): Made => new WeakMap(), 1_000);
/** Longer lists of names are of no use again: they count the messages of a conversation. */
const maxNames = 100;
const maxLength = 4_096;

const ofAttributes = new WeakMap<Named, Made>();

/** The last names that something was made of: most spans have those of the span before. */
let last: { readonly names: readonly string[]; readonly made: Made } = { names: [], made: new WeakMap() };

function isLast(attributes: Named): boolean {
  if (attributes.size !== last.names.length) return false;
  let at = 0;
  for (const name of attributes.keys()) {
    if (name !== last.names[at]) return false;
    at += 1;
  }
  return true;
}

function findMade(attributes: Named): Made {
  if (isLast(attributes)) return last.made;
  if (attributes.size > maxNames) return new WeakMap();
  const names = [...attributes.keys()];
  const text = JSON.stringify(names);
  if (text.length > maxLength) return new WeakMap();
  last = { names, made: ofNames(text) };
  return last.made;
}

/**
 * What `make` makes of the names of attributes, which must depend on nothing else. It is kept under `key`: the spans of
 * one emitter have the same names again and again. No name may be added to the attributes later.
 */
export function byNames<Value extends {}>(attributes: Named, key: object, make: () => Value): Value {
  let made = ofAttributes.get(attributes);
  if (made === undefined) {
    made = findMade(attributes);
    ofAttributes.set(attributes, made);
  }
  const known = made.get(key) as Value | undefined;
  if (known !== undefined) return known;
  const value = make();
  made.set(key, value);
  return value;
}
