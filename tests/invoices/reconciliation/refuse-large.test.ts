import { expect, test } from 'vitest';
import type { InvoiceEntry } from '../../../src/billing/invoices/entry.ts';
import { refuseLarge } from '../../../src/billing/invoices/reconciliation/run.ts';
import { toDay, toDayNumber } from '../../../src/lib/days.ts';
import { AnswerTooLarge } from '../../../src/lib/problem.ts';

const first = toDayNumber('2016-01-01');

/** A reconciliation of some days and of entries of ten years, each for a model of its own. */
const reconciled = (days: number, models: number) => {
  const entry = {
    provider: 'openai',
    amount: 1n,
    kind: 'usage',
    dateFrom: '2016-01-01',
    dateTo: '2025-12-31',
  } as const;
  const entries = Array.from(
    { length: models },
    (_, index): InvoiceEntry => ({ ...entry, externalId: `${index}`, model: `m${index}`, description: undefined }),
  );
  return { range: { from: first, to: toDayNumber(toDay(first + days - 1)) }, usage: [], entries };
};

test('D18: what is too much is refused before it is worked out, and the days that it names are not', () => {
  for (const [days, models] of [
    [3_653, 1_000],
    [3_653, 35],
    [366, 5_000],
    [31, 100_000],
  ] as const) {
    let refusal: unknown;
    try {
      refuseLarge(reconciled(days, models));
    } catch (error) {
      refusal = error;
    }
    if (!(refusal instanceof AnswerTooLarge)) throw new Error(`${days} days of ${models} models are not refused`);
    const fitting = Number(/at most (\d+) days/.exec(refusal.detail)?.[1]);
    expect(fitting).toBeLessThan(days);
    refuseLarge(reconciled(fitting, models));
  }
  refuseLarge(reconciled(3_653, 34));
});
