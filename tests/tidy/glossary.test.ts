import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { readSource } from './sources.ts';

const page = 'docs/glossary.md';

/** The rows of its tables: the term, the name in the code, and the file that the name is defined in. */
const rows = readSource(page)
  .text.split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Term '))
  .map((line) => {
    const [, term = '', name = '', target = ''] = /^\| ([^|]+) \|.*\| \[`([^`]+)`\]\(([^)]+)\) \|$/.exec(line) ?? [
      line,
    ];
    return { term, name, path: normalize(join(dirname(page), target)) };
  });

test('each term of the glossary names what it is called in a file of the code', () => {
  expect(rows.length).toBeGreaterThan(50);
  const unused = rows.filter(
    ({ term, name, path }) =>
      term === '' || !path.startsWith('src/') || !new RegExp(`\\b${name}\\b`).test(readSource(path).text),
  );
  expect(unused).toEqual([]);
});

test('the glossary has each term once', () => {
  const terms = rows.map(({ term }) => term);
  expect(terms).toEqual([...new Set(terms)]);
});
