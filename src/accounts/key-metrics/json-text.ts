/**
 * Reads values inside JSON text without parsing it, so that numbers keep every digit that was sent; JSON.parse would
 * round them. The text must be valid JSON. When an object repeats a key, the last one counts, as in JSON.parse.
 */

import { decodeString, isJsonSpace, skipScalar, skipString } from '../../lib/json.ts';

/** The text of the value at a path of unescaped JSON Pointer tokens; undefined when there is none. */
export function findJsonText(text: string, tokens: readonly string[]): string | undefined {
  let at = skipSpace(text, 0);
  for (const token of tokens) {
    const next = text.charCodeAt(at) === openBrace ? memberAt(text, at, token) : elementAt(text, at, token);
    if (next === undefined) return undefined;
    at = next;
  }
  return text.slice(at, skipValue(text, at));
}

/** Values nested deeper than this are not compared: no useful value is. */
const maxDepth = 100;

/**
 * The canonical text of a JSON value: equal for numbers of equal value, for equal strings, and for objects that differ
 * only in the order of keys. Undefined for null, which is no value to a key metric (D9.1), and for values nested deeper
 * than `maxDepth`.
 */
export function canonicalJson(text: string): string | undefined {
  return text === 'null' ? undefined : spell(text, 0);
}

function spell(text: string, depth: number): string | undefined {
  if (depth > maxDepth) return undefined;
  switch (text.charCodeAt(0)) {
    case openBrace: {
      const members = new Map<string, string | undefined>();
      for (const { key, at } of membersOf(text, 0))
        members.set(key, spell(text.slice(at, skipValue(text, at)), depth + 1));
      const spelt: string[] = [];
      for (const key of [...members.keys()].sort()) {
        const value = members.get(key);
        if (value === undefined) return undefined;
        spelt.push(`${JSON.stringify(key)}:${value}`);
      }
      return `{${spelt.join(',')}}`;
    }
    case openBracket: {
      const spelt: string[] = [];
      for (const at of elementsOf(text, 0)) {
        const value = spell(text.slice(at, skipValue(text, at)), depth + 1);
        if (value === undefined) return undefined;
        spelt.push(value);
      }
      return `[${spelt.join(',')}]`;
    }
    case quote:
      return JSON.stringify(decodeString(text));
    default:
      return isNumberText(text) ? spellNumber(text) : text;
  }
}

export const isNumberText = (text: string): boolean => /^[-0-9]/.test(text);

const numberText = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Up to this many zeros are written out, so that a number without an exponent becomes plain decimal text. */
const maxZeros = 400;

/** The canonical text of a number: plain decimal text without superfluous digits, or digits and a power of ten. */
function spellNumber(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = numberText.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return '0';
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  if (power < -maxZeros || power > maxZeros) return `${sign}${significant}e${power}`;
  if (power >= 0n) return sign + significant + '0'.repeat(Number(power));
  const padded = significant.padStart(Number(-power) + 1, '0');
  return `${sign}${padded.slice(0, Number(power))}.${padded.slice(Number(power))}`;
}

/** A loop, because a regular expression rescans a run of zeros from each zero in it, and numbers can be 1 MiB long. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === zero) end -= 1;
  return digits.slice(0, end);
}

const zero = 0x30;
const quote = 0x22;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** The position of the value of the last member with this key, in the object at `start`. */
function memberAt(text: string, start: number, name: string): number | undefined {
  let found: number | undefined;
  for (const { key, at } of membersOf(text, start)) if (key === name) found = at;
  return found;
}

/** The position of the element with this index, in the array at `start`; undefined if there is none. */
function elementAt(text: string, start: number, token: string): number | undefined {
  if (text.charCodeAt(start) !== openBracket || !/^(0|[1-9]\d*)$/.test(token)) return undefined;
  let left = Number(token);
  for (const at of elementsOf(text, start)) {
    if (left === 0) return at;
    left -= 1;
  }
  return undefined;
}

function* membersOf(text: string, start: number): Generator<{ readonly key: string; readonly at: number }> {
  let at = skipSpace(text, start + 1);
  while (text.charCodeAt(at) !== closeBrace) {
    const keyEnd = skipString(text, at);
    const key = decodeString(text.slice(at, keyEnd));
    // Past the colon.
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1);
    yield { key, at: value };
    at = skipSeparator(text, skipValue(text, value));
  }
}

function* elementsOf(text: string, start: number): Generator<number> {
  let at = skipSpace(text, start + 1);
  while (text.charCodeAt(at) !== closeBracket) {
    yield at;
    at = skipSeparator(text, skipValue(text, at));
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isJsonSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** The position after a comma, or of the end of the object or array. */
function skipSeparator(text: string, from: number): number {
  const at = skipSpace(text, from);
  return text.charCodeAt(at) === comma ? skipSpace(text, at + 1) : at;
}

/** The position after the value at `from`, at any depth of nesting. */
function skipValue(text: string, from: number): number {
  let at = from;
  let depth = 0;
  do {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = skipString(text, at);
      continue;
    }
    if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) depth -= 1;
    else if (depth === 0) return skipScalar(text, at);
    at += 1;
  } while (depth > 0);
  return at;
}
