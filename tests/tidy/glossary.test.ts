import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { readSource } from './sources.ts';

const page = 'docs/glossary.md';

/** The rows of the glossary's tables: the term, its name in the code, and the file that defines the name. */
const rows = readSource(page)
  .text.split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Term '))
  .map((line) => {
    const [, term = '', name = '', target = ''] = /^\| ([^|]+) \|.*\| \[`([^`]+)`\]\(([^)]+)\) \|$/.exec(line) ?? [
      line,
    ];
    return { term, name, path: normalize(join(dirname(page), target)) };
  });

test('the file that the glossary links for a term contains the term’s name in the code', () => {
  expect(rows.length).toBeGreaterThan(40);
  const unused = rows.filter(
    ({ term, name, path }) =>
      term === '' || !path.startsWith('src/') || !new RegExp(`\\b${name}\\b`).test(readSource(path).text),
  );
  expect(unused).toEqual([]);
});

test('the glossary has each term once, and at most 75', () => {
  const terms = rows.map(({ term }) => term);
  expect(terms).toEqual([...new Set(terms)]);
  expect(terms.length).toBeLessThanOrEqual(75);
});
