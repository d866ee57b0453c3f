import { isJsonSpace, parseJson, setMember } from './json.ts';
import type { Slices } from './slices.ts';

/** Text up to this length is parsed at once, in about a millisecond. */
const usualLength = 32_768;
/** The most brackets and commas of a text: an empty object takes 30 times the memory of its two characters. */
const mostMarks = 4_000_000;
/** The most keys of an object that is longer than a slice: V8 moves all of them at once when there are too many. */
const usualKeys = 200_000;
/** The deepest nesting of lists and objects that are longer than a slice. */
const deepest = 600_000;
/** Positions between two yields where nothing is parsed: in a long number, or in whitespace. */
const scannedBetweenYields = 1_048_576;

/** JSON text that would take too much memory. The message says why. */
export class UnwieldyJson extends Error {
  override readonly name = 'UnwieldyJson';
}

interface Limits {
  /** In characters. */
  readonly sliceLength: number;
  /** Of an object that is longer than a slice. */
  readonly mostKeys: number;
}

/** A list or object longer than a slice, whose members are parsed a slice at a time. */
interface Open {
  readonly holder: unknown[] | Record<string, unknown>;
  /** Whether a comma must come before the next member, or a member before the end. */
  expects: 'anything' | 'comma' | 'member';
  /** The last comma between members that are not parsed; -1 for none. */
  comma: number;
  members: number;
}

/** As `parseJson`, by about `sliceLength` characters. @throws SyntaxError for text that is not JSON; UnwieldyJson */
export function* parseJsonInSlices(text: string, limits: Partial<Limits> = {}): Slices<unknown> {
  const { sliceLength = usualLength, mostKeys = usualKeys } = limits;
  if (text.length <= sliceLength) return parseJson(text);
  const start = skipSpace(text, 0);
  if (!isOpening(text.charCodeAt(start))) return parseJson(text);
  return yield* new Parser(text, start, { sliceLength, mostKeys }).run();
}

class Parser {
  readonly #text: string;
  readonly #limits: Limits;
  /** The text before this position is parsed, or is the opening of an open list or object. */
  #from: number;
  readonly #open: Open[];
  /** The positions of shorter lists and objects that are open inside the innermost open one, and of their last commas. */
  #inner: number[] = [];
  #innerCommas: number[] = [];
  /** How many of `#inner` have become open ones. */
  #base = 0;
  #marks = 0;

  constructor(text: string, start: number, limits: Limits) {
    this.#text = text;
    this.#limits = limits;
    this.#from = start + 1;
    this.#open = [toOpen(text.charCodeAt(start))];
  }

  *run(): Slices<unknown> {
    const text = this.#text;
    for (let at = this.#from; at < text.length; at += 1) {
      switch (text.charCodeAt(at)) {
        case 0x22: // "
          at = findEndOfString(text, at);
          if (at === -1) throw this.#fault(text.length);
          break;
        case 0x5b: // [
        case 0x7b: // {
          this.#count();
          this.#inner.push(at);
          this.#innerCommas.push(-1);
          break;
        case 0x5d: // ]
        case 0x7d: // }
          if (this.#inner.length > this.#base) {
            this.#inner.pop();
            this.#innerCommas.pop();
          } else {
            const closed = this.#close(at);
            if (this.#open.length === 0) {
              const end = skipSpace(text, at + 1);
              if (end < text.length) throw this.#fault(end);
              return closed;
            }
          }
          break;
        case 0x2c: // ,
          this.#count();
          if (this.#inner.length > this.#base) this.#innerCommas[this.#inner.length - 1] = at;
          else this.#top.comma = at;
          break;
        default:
          if (at % scannedBetweenYields === 0) yield;
          continue;
      }
      if (at - this.#from >= this.#limits.sliceLength && this.#cut(at)) yield;
    }
    throw this.#fault(text.length);
  }

  get #top(): Open {
    const top = this.#open.at(-1);
    if (top === undefined) throw new Error('No list or object is open');
    return top;
  }

  #count(): void {
    this.#marks += 1;
    if (this.#marks > mostMarks) throw new UnwieldyJson(`it has more than ${mostMarks} brackets and commas`);
  }

  /** Parses members, and opens lists and objects, until less than a slice is left before `at`. False if it can't. */
  #cut(at: number): boolean {
    let hasCut = false;
    while (at - this.#from >= this.#limits.sliceLength) {
      const top = this.#top;
      if (top.comma >= this.#from) this.#take(top.comma, true);
      else if (this.#inner.length > this.#base) this.#openInner();
      else break;
      hasCut = true;
    }
    return hasCut;
  }

  /** Opens the outermost of the shorter lists and objects, as the next member of the innermost open one. */
  #openInner(): void {
    const start = this.#inner[this.#base] ?? 0;
    const top = this.#top;
    if (this.#open.length === deepest) throw new UnwieldyJson(`it is nested deeper than ${deepest} levels`);
    const prefix = this.#text.slice(this.#from, start);
    const inner = toOpen(this.#text.charCodeAt(start));
    inner.comma = this.#innerCommas[this.#base] ?? -1;
    if (top.expects === 'comma') throw this.#fault(start);
    if (Array.isArray(top.holder)) {
      if (!isBlank(prefix)) throw this.#fault(this.#from);
      top.holder.push(inner.holder);
    } else setMember(top.holder, this.#readKey(prefix), inner.holder);
    top.expects = 'comma';
    this.#open.push(inner);
    this.#from = start + 1;
    this.#base += 1;
    if (this.#base === this.#inner.length) {
      this.#inner = [];
      this.#innerCommas = [];
      this.#base = 0;
    }
  }

  /** The key in the text before a member: a string and a colon. */
  #readKey(prefix: string): string {
    const [, key] = /^[ \t\r\n]*(".*")[ \t\r\n]*:[ \t\r\n]*$/s.exec(prefix) ?? [];
    if (key === undefined) throw this.#fault(this.#from);
    try {
      return String(parseJson(key));
    } catch {
      throw this.#fault(this.#from);
    }
  }

  /** Closes the innermost open list or object, and returns it. */
  #close(at: number): unknown {
    const { holder } = this.#top;
    if (Array.isArray(holder) !== (this.#text.charCodeAt(at) === 0x5d)) throw this.#fault(at);
    this.#take(at, false);
    this.#open.pop();
    return holder;
  }

  /** Parses the members from `#from` to `end`, which is a comma or the closing. */
  #take(end: number, isComma: boolean): void {
    const top = this.#top;
    let from = this.#from;
    let needsMember = isComma || top.expects === 'member';
    if (top.expects === 'comma') {
      from = skipSpace(this.#text, from);
      needsMember = from < end;
      if (from < end && this.#text.charCodeAt(from) !== 0x2c) throw this.#fault(from);
      from += 1;
    }
    const added = this.#add(from, end);
    if (added === 0 && needsMember) throw this.#fault(end);
    top.members += added;
    const { mostKeys } = this.#limits;
    if (top.members > mostKeys && !Array.isArray(top.holder))
      throw new UnwieldyJson(`an object has more than ${mostKeys} keys`);
    top.expects = isComma ? 'member' : 'comma';
    top.comma = -1;
    this.#from = end + 1;
  }

  /** Adds the members in a part of the text to the innermost open list or object, and returns how many there are. */
  #add(from: number, end: number): number {
    const { holder } = this.#top;
    const members = this.#text.slice(from, Math.max(from, end));
    const isList = Array.isArray(holder);
    let read: unknown;
    try {
      read = parseJson(isList ? `[${members}]` : `{${members}}`);
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      const place = /at position (\d+)/.exec(cause.message)?.[1];
      throw this.#fault(place === undefined ? from : from + Number(place) - 1);
    }
    if (isList) {
      for (const item of read as unknown[]) holder.push(item);
      return (read as unknown[]).length;
    }
    const entries = Object.entries(read as Record<string, unknown>);
    for (const [key, value] of entries) setMember(holder, key, value);
    return entries.length;
  }

  #fault(at: number): SyntaxError {
    return new SyntaxError(
      at < this.#text.length ? `Unexpected token in JSON at position ${at}` : 'Unexpected end of JSON input',
    );
  }
}

const isOpening = (code: number): boolean => code === 0x5b || code === 0x7b;

const toOpen = (opening: number): Open => ({
  holder: opening === 0x5b ? [] : {},
  expects: 'anything',
  comma: -1,
  members: 0,
});

/** The position of the quote that ends the string at `from`; -1 if there is none. */
function findEndOfString(text: string, from: number): number {
  const end = text.indexOf('"', from + 1);
  if (text.charCodeAt(end - 1) !== 0x5c) return end;
  // Character by character: a search for each of millions of escaped quotes would take several times as long.
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at;
    if (code === 0x5c) at += 1;
  }
  return -1;
}

const isBlank = (text: string): boolean => skipSpace(text, 0) === text.length;

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isJsonSpace(text.charCodeAt(at))) at += 1;
  return at;
}
