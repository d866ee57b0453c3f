import { toPointer } from '../../lib/problem.ts';

/** A smaller form of an answer, with a note of the parts that it leaves out. */
export interface Cut {
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
export function cutToFit(value: unknown, fits: (cut: Cut) => boolean): Cut | undefined {
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
