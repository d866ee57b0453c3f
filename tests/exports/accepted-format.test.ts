import { expect, test } from 'vitest';
import { acceptedFormat } from '../../src/reports/exports/formats.ts';

test.each([
  [undefined, undefined],
  ['', undefined],
  ['*/*', undefined],
  ['text/*', undefined],
  ['application/json', undefined],
  ['text/html, application/xhtml+xml, */*;q=0.8', undefined],
  ['application/problem+json', undefined],
  ['text/csv', 'csv'],
  ['Text/CSV; charset=utf-8', 'csv'],
  ['application/x-ndjson', 'ndjson'],
  ['application/vnd.apache.parquet', 'parquet'],
  ['text/csv, */*;q=0.1', 'csv'],
  ['application/json, text/csv', undefined],
  ['text/csv, application/json', 'csv'],
  ['application/json;q=0.5, application/x-ndjson', 'ndjson'],
  ['text/csv;q=0.4, application/vnd.apache.parquet;q=0.9', 'parquet'],
  ['text/csv;q=0', undefined],
  ['text/csv;q=none', undefined],
])('D24.1: Accept: %s asks for %s', (accept, format) => {
  expect(acceptedFormat(accept)).toBe(format);
});
