import { formatMoney, readMoney } from '../../lib/money.ts';
import type { UnitCounts } from '../asking/units.ts';
import type { UsageRecord } from './sql.ts';

/** Adds up the parts of a row that several statements have read. */
export function addUp(parts: readonly [UsageRecord, ...UsageRecord[]]): UsageRecord {
  const [first] = parts;
  if (parts.length === 1) return first;
  const sum = (countOf: (part: UsageRecord) => string | undefined) =>
    String(parts.reduce((total, part) => total + BigInt(countOf(part) ?? 0), 0n));
  return {
    ...first,
    sum_calls: sum((part) => part.sum_calls),
    sum_errors: sum((part) => part.sum_errors),
    sum_unpriced_calls: sum((part) => part.sum_unpriced_calls),
    sum_partly_priced_calls: sum((part) => part.sum_partly_priced_calls),
    tokens: first.tokens.map((_count, at) => sum(({ tokens }) => tokens[at])),
    sum_units: addUpUnits(parts.map(({ sum_units: units }) => units)),
    sum_elapsed_sum: sum((part) => part.sum_elapsed_sum),
    sum_elapsed_max: Math.max(...parts.map(({ sum_elapsed_max: longest }) => longest)),
  };
}

const addUpUnits = (parts: readonly UnitCounts[]): UnitCounts =>
  Object.fromEntries(
    Array.from(
      Map.groupBy(
        parts.flatMap((units) => Object.entries(units)),
        ([name]) => name,
      ),
      ([name, counts]) => [name, formatMoney(counts.reduce((total, [, count]) => total + readMoney(count), 0n))],
    ),
  );
