import { expect, test } from 'vitest';
import { makeCursor } from '../../src/lib/http/cursor.ts';
import { Problem } from '../../src/lib/problem.ts';
import { readCursor, spellPosition } from '../../src/reports/asking/cursor.ts';

const question = { aggregate: 'day' };
const read = (position: readonly string[]) => readCursor(question, makeCursor(question, position));

test('D6.4: a cursor gives back the row that it goes on after', () => {
  const position = { dateTo: '2024-05-31', dateFrom: '2024-05-01', value: '' };
  expect(readCursor(question, makeCursor(question, spellPosition(position)))).toEqual(position);
  expect(() => readCursor({}, makeCursor(question, spellPosition(position)))).toThrow(Problem);
});

test('D6.4: the days of a position are those that the store can be asked for', () => {
  for (const day of ['1970-01-01', '2149-06-06']) {
    expect(read([day, day, 'x'])).toEqual({ dateTo: day, dateFrom: day, value: 'x' });
  }
  for (const day of ['1969-12-31', '2149-06-07', '2024-02-30', '2024-5-1', '', 'today']) {
    expect(() => read([day, '2024-05-01', 'x']), day).toThrow(Problem);
    expect(() => read(['2024-05-01', day, 'x']), day).toThrow(Problem);
  }
});

test('D6.4: a position has two days and a value that rows can have', () => {
  expect(() => read(['2024-05-01', '2024-05-01', '\ud800'])).toThrow(Problem);
  expect(() => read(['2024-05-01', '2024-05-01'])).toThrow(Problem);
  expect(() => read(['2024-05-01', '2024-05-01', 'x', 'y'])).toThrow(Problem);
});
