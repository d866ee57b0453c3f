// CSV files are opened in spreadsheets, which take some texts for formulas.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toCsv as toCsvOfPage } from '../../dashboard/src/lib/csv.ts';
import type { FileColumn } from '../../src/reports/exports/columns.ts';
import { csvOf } from '../../src/reports/exports/csv.ts';

const column = (header: string): FileColumn => ({ header, path: ['name'], kind: 'text', isRequired: true });
const ofService = (name: unknown) => csvOf([{ name }], [column('name')]).trimEnd();
const ofPage = (name: string | number) => toCsvOfPage(['name'], [[name]]).trimEnd();

/** The first cell of the second line, as a spreadsheet reads it. */
const readCell = (csv: string): string => {
  const cell = csv.slice(csv.indexOf('\n') + 1);
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
};

/** Space, controls and characters without a glyph. */
const unseen = fc.constantFrom(
  '\n',
  '\r',
  '\t',
  ' ',
  '\u00a0',
  '\u2028',
  '\u200b',
  '\ufeff',
  '\u0000',
  '\u0085',
  '\u3000',
  '\v',
  // Each draws nothing: a joiner, a selector of forms, fillers, an inherent vowel, a blank pattern of Braille.
  ...['\u034f', '\ufe0f', '\u115f', '\u3164', '\u17b4', '\u2800', '\u{e0100}'],
);
const sign = fc.constantFrom(
  ...['=', '+', '-', '@', '＝', '＋', '－', '＠'],
  // Small, raised and lowered.
  ...['\ufe66', '\ufe62', '\ufe63', '\ufe6b', '\u207c', '\u207a', '\u208c', '\u208a'],
);

test('D24.1: text whose first visible character begins a formula has an apostrophe, whatever comes before it', () => {
  const text = fc
    .tuple(fc.string({ unit: unseen, maxLength: 3 }), sign, fc.string({ maxLength: 8 }))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (name) => {
      for (const write of [ofService, ofPage]) expect(readCell(write(name)).startsWith("'")).toBe(true);
    }),
  );
});

test('D24.1: other text and all numbers stay as they are', () => {
  for (const write of [ofService, ofPage]) {
    for (const name of ['acme', 'a=1', ' acme', '\nacme', '(1)', '1-2', 'é=', "'=1", '\u2800a=', '１='])
      expect(readCell(write(name))).toBe(name);
    for (const number of [-1.5, 0, 12]) expect(readCell(write(number))).toBe(String(number));
  }
});

test('D24.1: the names of columns are no formulas either', () => {
  expect(csvOf([], [column('\n=1')])).toBe('"\'\n=1"\n');
});
