import { expect, test } from 'vitest';
import { timeField, toTime, toTimeOrNull } from '../../src/lib/times.ts';

test('a time is answered in UTC, to the millisecond', () => {
  expect(toTime(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(toTime(1_714_521_600_123)).toBe('2024-05-01T00:00:00.123Z');
});

test('a time that may be missing is null where it is, the first of all times being none such', () => {
  expect(toTimeOrNull(null)).toBeNull();
  expect(toTimeOrNull(0)).toBe('1970-01-01T00:00:00.000Z');
});

test('D11.3: a time is described as one', () => {
  expect(timeField.meta()).toMatchObject({ format: 'date-time' });
});
