import type { CallToolResult } from '@modelcontextprotocol/server';
import { parseJson } from '../../lib/json.ts';
import { toPointer } from '../../lib/problem.ts';

/** The most bytes of a result as JSON. The protocol adds about 300, so the whole answer stays within 20 KB. */
const maxBytes = 19_500;

/** What a result says besides the answer of the route. */
export interface Told {
  /** How to get the parts that are left out. */
  readonly more?: string;
  readonly units?: Readonly<Record<string, string>>;
  /** The time up to which the answer has all acknowledged events. */
  readonly as_of?: string;
  readonly link?: string;
}

/** The size of a result, in bytes as JSON. */
export const bytesOf = (result: CallToolResult): number => Buffer.byteLength(JSON.stringify(result));

export const fits = (result: CallToolResult): boolean => bytesOf(result) <= maxBytes;

/** How many of `count` rows probably fit, at least one and fewer than `count`. */
export const fewerRows = (count: number, bytes: number): number =>
  Math.max(1, Math.min(count - 1, Math.floor((count * maxBytes * 0.9) / bytes)));

/** The unchanged answer of a route, as text alone: `structuredContent` would double its size. */
export const toResult = (told: Told, json: string): CallToolResult =>
  toText(`${JSON.stringify(told).slice(0, -1)}${Object.keys(told).length > 0 ? ',' : ''}"answer":${json}}`);

const toText = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

/** A result with shorter lists and texts. If even those don't fit, it has no answer. */
export function toCutResult(told: Told, json: string, smaller: string): CallToolResult {
  const cutTold = {
    ...told,
    more: `Lists and texts are cut, as an answer has at most 20 KB. ${smaller}`.trim(),
  };
  let result = toResult({ ...cutTold, more: `The answer has more than 20 KB. ${smaller}`.trim() }, 'null');
  cutToFit(parseJson(json), ({ value, shown }) => {
    const cut = toResult({ ...cutTold, ...(Object.keys(shown).length > 0 && { shown }) }, JSON.stringify(value));
    if (!fits(cut)) return false;
    result = cut;
    return true;
  });
  return result;
}

/** A refusal, with the route's problem and all its faults. */
export function toRefusal(problem: string): CallToolResult {
  const whole = toText(problem);
  if (fits(whole)) return { ...whole, isError: true };
  const cut = cutToFit(parseJson(problem), ({ value }) => fits(toText(JSON.stringify(value))));
  return { ...toText(JSON.stringify(cut?.value ?? {})), isError: true };
}

/** A smaller form of an answer, with a note of the parts that it leaves out. */
interface Cut {
  readonly value: unknown;
  /** For the first few lists and objects that were cut: how many items are shown and in total, by JSON Pointer. */
  readonly shown: Readonly<Record<string, string>>;
}

/** The most items of a list, fields of an object and characters of a text; the mildest cut comes first. */
const levels = [
  { items: 100, fields: 200, characters: 2_000 },
  { items: 50, fields: 100, characters: 500 },
  { items: 20, fields: 50, characters: 300 },
  { items: 10, fields: 40, characters: 200 },
  { items: 5, fields: 40, characters: 100 },
  { items: 3, fields: 40, characters: 60 },
  { items: 1, fields: 30, characters: 40 },
] as const;

type Level = (typeof levels)[number];

/** The mildest cut of a value that fits; undefined when none does. */
function cutToFit(value: unknown, fits: (cut: Cut) => boolean): Cut | undefined {
  for (const level of levels) {
    const cut = cutTo(value, level);
    if (fits(cut)) return cut;
  }
  return undefined;
}

const maxNamed = 10;

function cutTo(value: unknown, level: Level): Cut {
  const shown = new Map<string, string>();
  const note = (path: readonly string[], few: number, all: number) => {
    if (few < all && shown.size < maxNamed) shown.set(toPointer(path), `${few} of ${all}`);
  };
  const visit = (part: unknown, path: readonly string[]): unknown => {
    if (typeof part === 'string') return isCursor(path) ? part : cutMiddle(part, level.characters);
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) {
      note(path, Math.min(part.length, level.items), part.length);
      return part.slice(0, level.items).map((item, index) => visit(item, [...path, String(index)]));
    }
    const all = Object.entries(part);
    // Leave out long names: a name that is cut could be that of another field.
    const named = all.filter(([name]) => name.length <= level.characters).slice(0, level.fields);
    note(path, named.length, all.length);
    return Object.fromEntries(named.map(([name, field]) => [name, visit(field, [...path, name])]));
  };
  return { value: visit(value, []), shown: Object.fromEntries(shown) };
}

/** A cursor must stay whole to request the next page. It has at most a few kilobytes. */
const isCursor = ([name, ...inner]: readonly string[]): boolean => name === 'next_cursor' && inner.length === 0;

/** The beginning and the end of a text, in at most `most` characters. */
function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = [...text];
  if (characters.length <= most) return text;
  const half = Math.floor((most - 1) / 2);
  return `${characters.slice(0, half).join('')}…${characters.slice(-half).join('')}`;
}
