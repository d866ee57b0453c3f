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

/**
 * What `make` makes of the names of attributes, which must depend on nothing else. It is kept under `key`: the spans of
 * one emitter have the same names again and again. No name may be added to the attributes later.
 */
export function byNames<Value extends {}>(attributes: Named, key: object, make: () => Value): Value {
  let made = ofAttributes.get(attributes);
  if (made === undefined) {
    const names = attributes.size > maxNames ? undefined : JSON.stringify([...attributes.keys()]);
    made = names === undefined || names.length > maxLength ? new WeakMap() : ofNames(names);
    ofAttributes.set(attributes, made);
  }
  const known = made.get(key) as Value | undefined;
  if (known !== undefined) return known;
  const value = make();
  made.set(key, value);
  return value;
}
