import { remembered } from '../../../lib/remembered.ts';

type Named = ReadonlyMap<string, unknown>;

/** What was made of one set of names, by what it was made for. */
type Made = WeakMap<object, unknown>;

/** By the names as JSON. */
const ofNames = remembered((): Made => new WeakMap(), 1_000);
/** Longer lists of names are of no use again: they count the messages of a conversation. */
const maxNames = 100;
const maxLength = 4_096;

/** What was last asked for: most spans have the names of the span before, and are asked for several times. */
let last: { readonly attributes: Named; readonly names: readonly string[]; readonly made: Made } = {
  ...{ attributes: new Map(), names: [], made: new WeakMap() },
};

function areLast(attributes: Named): boolean {
  if (attributes.size !== last.names.length) return false;
  let at = 0;
  for (const name of attributes.keys()) {
    if (name !== last.names[at]) return false;
    at += 1;
  }
  return true;
}

function findMade(attributes: Named): Made {
  if (attributes === last.attributes) return last.made;
  if (areLast(attributes)) last = { ...last, attributes };
  else {
    const names = attributes.size > maxNames ? [] : [...attributes.keys()];
    const text = JSON.stringify(names);
    const isLong = names.length < attributes.size || text.length > maxLength;
    last = isLong ? { attributes, names: [], made: new WeakMap() } : { attributes, names, made: ofNames(text) };
  }
  return last.made;
}

/** What `make` makes of the names alone, kept under `key` for spans with the same. No name may be added later. */
export function byNames<Value extends {}>(attributes: Named, key: object, make: () => Value): Value {
  const made = findMade(attributes);
  const known = made.get(key) as Value | undefined;
  if (known !== undefined) return known;
  const value = make();
  made.set(key, value);
  return value;
}
