import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { isCount, maxTokens } from './usage-counts.ts';
import { knownPaths, type PathId, type PathNode, type Paths, rootNames } from './usage-paths.ts';

/** The most unread paths that are named. */
const maxUnread = 20;

/** Longer paths are cut to save space. */
const maxPathLength = 128;

/** Items of a longer list are unread. */
const maxItems = 1_000;

/** For values that are nested deeper, the path of the object around them is reported. */
const maxUnknownDepth = 8;

/** The state of the value at a path. */
const isRead = 1;
const isDisputed = 2;

/**
 * A usage object, walked once: the values at the known paths, and the paths of the other numbers. Every number that is
 * not 0 is unread until a reader takes it, or checks it against the numbers that it has taken (D26.3).
 */
export class UsageObject {
  /** Whether a count was not a whole number from 0 to 10⁹. It is ignored, and coverage counts the event (D3.4). */
  hasUnusableCounts = false;

  /** Its place in the event, such as `response.usage`; empty for the event itself. */
  readonly #place: string;
  readonly #values: unknown[];
  readonly #marks: (number | undefined)[];
  /** The known paths that have a value. */
  readonly #filled: PathId[] = [];
  /** The known paths that have a number other than 0, a list, or an object without known names. */
  readonly #found: PathId[] = [];
  /** Paths of numbers that no reader knows. */
  #unknown: string[] | undefined;
  #items: UsageObject[] | undefined;

  constructor(object: JsonObject, place: string) {
    this.#place = place;
    const slots = freeSlots.pop() ?? newSlots();
    this.#values = slots.values;
    this.#marks = slots.marks;
    this.#walk(object, rootNames, -1);
  }

  has(list: Paths): boolean {
    for (const id of list) if (this.#values[id] !== undefined) return true;
    return false;
  }

  hasObject(list: Paths): boolean {
    for (const id of list) if (isJsonObject(this.#values[id])) return true;
    return false;
  }

  /** Whether there is a value other than 0 at one of the marked paths. */
  hasNumberIn(marked: readonly boolean[]): boolean {
    for (const id of this.#found) if (marked[id] === true) return true;
    return false;
  }

  /** The first usable count at these paths. Other counts are marked as read if they are equal. */
  count(list: Paths): number | undefined {
    let taken: number | undefined;
    for (const id of list) {
      const value = this.#values[id];
      if (value === undefined || value === null) continue;
      if (!isCount(value)) {
        if (taken === undefined) this.hasUnusableCounts = true;
        continue;
      }
      // Adding 0 turns -0, which JSON can hold, into 0.
      if (taken === undefined) taken = value + 0;
      else if (taken !== value) continue;
      this.#marks[id] = isRead;
    }
    return taken;
  }

  /** The first number from 0 to 10⁹ at these paths, which may have a fraction. */
  amount(list: Paths): number | undefined {
    let taken: number | undefined;
    for (const id of list) {
      const value = this.#values[id];
      if (typeof value !== 'number' || !(value >= 0 && value <= maxTokens)) continue;
      if (taken === undefined) taken = value + 0;
      else if (taken !== value) continue;
      this.#marks[id] = isRead;
    }
    return taken;
  }

  /** The first number of any size at these paths. It stays unread until `accept` or `check` says otherwise. */
  number(list: Paths): number | undefined {
    for (const id of list) {
      const value = this.#values[id];
      if (typeof value === 'number') return value;
    }
    return undefined;
  }

  /** The first value at these paths that is not null. */
  value(list: Paths): unknown {
    for (const id of list) {
      const value = this.#values[id];
      if (value !== undefined && value !== null) return value;
    }
    return undefined;
  }

  /** Counts a text at these paths as unread if it is longer than a term may be. */
  refuseLongText(list: Paths, maxLength: number): void {
    for (const id of list) {
      const value = this.#values[id];
      if (typeof value === 'string' && value.length > maxLength)
        add(this.#at(knownPaths[id]?.text ?? ''), this.#unread());
    }
  }

  /** The objects of the lists at these paths, as usage objects of their own. */
  items(list: Paths): readonly UsageObject[] {
    let items: UsageObject[] | undefined;
    for (const id of list) {
      const value = this.#values[id];
      if (!Array.isArray(value)) continue;
      this.#marks[id] = isRead;
      const place = `${this.#at(knownPaths[id]?.text ?? '')}[]`;
      items ??= [];
      for (const item of value) {
        if (isJsonObject(item) && items.length < maxItems) items.push(new UsageObject(item, place));
        else findNumbers(item, place, 0, this.#unread());
      }
    }
    if (items === undefined) return noItems;
    this.#items = this.#items === undefined ? items : [...this.#items, ...items];
    return items;
  }

  /** Marks numbers as read that repeat other counts: a total, or a part that follows from the others. */
  check(list: Paths, ...expected: readonly (number | undefined)[]): void {
    for (const id of list) {
      const value = this.#values[id];
      if (typeof value === 'number' && expected.includes(value)) this.#marks[id] = isRead;
    }
  }

  /** Marks the values at these paths as read, with everything below them. */
  accept(list: Paths): void {
    for (const id of list) this.#mark(id, isRead);
  }

  /** Marks the values at these paths as unread, because they contradict a preferred value. */
  dispute(list: Paths): void {
    for (const id of list) this.#mark(id, isDisputed);
  }

  /** Adds the paths of the unread numbers, such as `usage.cost_details.upstream`. */
  addUnread(unread: string[]): void {
    for (const id of this.#found) {
      if (unread.length >= maxUnread) return;
      const path = knownPaths[id];
      const mark = this.#marks[id];
      if (path === undefined || mark === isRead || (path.isWithoutPrice && mark !== isDisputed)) continue;
      findNumbers(this.#values[id], this.#at(path.text), 0, unread);
    }
    for (const path of this.#unknown ?? []) add(path, unread);
    for (const item of this.#items ?? []) item.addUnread(unread);
  }

  /** Whether a count in it or in its lists was unusable. */
  get isPartlyUnusable(): boolean {
    return this.hasUnusableCounts || (this.#items?.some((item) => item.isPartlyUnusable) ?? false);
  }

  /** Releases its memory for other usage objects. It must not be read afterwards. */
  free(): void {
    for (const id of this.#filled) {
      this.#values[id] = undefined;
      this.#marks[id] = undefined;
    }
    if (freeSlots.length < maxFreeSlots) freeSlots.push({ values: this.#values, marks: this.#marks });
    for (const item of this.#items ?? []) item.free();
  }

  #mark(id: PathId, mark: number): void {
    if (this.#values[id] !== undefined) this.#marks[id] = mark;
  }

  #unread(): string[] {
    this.#unknown ??= [];
    return this.#unknown;
  }

  #walk(object: JsonObject, names: Map<string, PathNode>, parent: PathId): void {
    for (const name of Object.keys(object)) {
      const value = object[name];
      const node = names.get(name);
      if (node === undefined) {
        if (value !== 0 && (typeof value === 'number' || (typeof value === 'object' && value !== null))) {
          findNumbers(value, this.#under(parent, name), 0, this.#unread());
        }
        continue;
      }
      this.#values[node.id] = value;
      this.#filled.push(node.id);
      if (typeof value === 'number') {
        if (value !== 0) this.#found.push(node.id);
      } else if (typeof value === 'object' && value !== null) {
        if (node.names.size > 0 && isJsonObject(value)) this.#walk(value, node.names, node.id);
        else this.#found.push(node.id);
      }
    }
  }

  #under(parent: PathId, name: string): string {
    const text = knownPaths[parent]?.text;
    return this.#at(text === undefined ? name : `${text}.${name}`);
  }

  #at(path: string): string {
    return this.#place === '' ? path : `${this.#place}.${path}`;
  }
}

interface Slots {
  readonly values: unknown[];
  readonly marks: (number | undefined)[];
}

/** Emptied slots. They are reused, because making one for every path takes about a microsecond. */
const freeSlots: Slots[] = [];
const maxFreeSlots = 16;

const newSlots = (): Slots => ({
  values: new Array<unknown>(knownPaths.length).fill(undefined),
  marks: new Array<number | undefined>(knownPaths.length).fill(undefined),
});

const noItems: readonly UsageObject[] = [];

/** The paths of the numbers in an object that are not 0, at most 20. */
export function numbersIn(object: JsonObject): string[] {
  const found: string[] = [];
  for (const name of Object.keys(object)) findNumbers(object[name], name, 0, found);
  return found;
}

/** Adds the paths of the numbers in a value that are not 0. */
function findNumbers(value: unknown, path: string, depth: number, into: string[]): void {
  if (into.length >= maxUnread) return;
  if (typeof value === 'number') {
    if (value !== 0) add(path, into);
  } else if (Array.isArray(value)) {
    if (depth === maxUnknownDepth) add(path, into);
    else for (const item of value) findNumbers(item, `${path}[]`, depth + 1, into);
  } else if (isJsonObject(value)) {
    if (depth === maxUnknownDepth) add(path, into);
    else for (const name of Object.keys(value)) findNumbers(value[name], `${path}.${name}`, depth + 1, into);
  }
}

function add(path: string, into: string[]): void {
  const text = path.length > maxPathLength ? path.slice(0, maxPathLength) : path;
  const known = text.toWellFormed();
  if (into.length < maxUnread && !into.includes(known)) into.push(known);
}
