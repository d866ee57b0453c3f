/**
 * Compares texts by code points: the order of all rows (D6.3), the same as in ClickHouse and in PostgreSQL's `COLLATE "C"`.
 * JavaScript's `<` compares UTF-16 units, which puts 😀 before ﬁ.
 */
export function compareCodePoints(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogates, the halves of code points from U+10000 on, sort after every other unit. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** Whether a text has more than `most` characters: code points, not UTF-16 units. Those of a long text are not counted. */
export const isLonger = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || [...text].length > most);
