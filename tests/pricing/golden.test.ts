import { describe, expect, it } from 'vitest';
import { formatMoney } from '../../src/lib/money.ts';
import { usageBuckets } from '../../src/lib/usage-buckets.ts';
import { calcCost } from '../../src/pricing/cost.ts';
import { type GoldenLine, goldenCases } from './golden-cases.ts';
import { openInstalledBook, usageOf } from './support.ts';

const book = openInstalledBook();

/** The usage that the lines bill. */
function usageOfLines(lines: readonly GoldenLine[]) {
  return usageOf(
    Object.fromEntries(usageBuckets.map((name) => [name, lines.find(([bucket]) => bucket === name)?.[1] ?? 0])),
  );
}

describe('what calls cost at list prices (D5.2)', () => {
  for (const { name, provider, model, at, costedProvider, lines, cost } of goldenCases) {
    it(name, () => {
      const time = Date.parse(at);
      const usage = usageOfLines(lines);
      const result = calcCost(
        { provider, model, serviceTier: '', time, day: at.slice(0, 10), usage, reportedCost: null },
        book,
      );
      expect(
        result.lines.map((line) =>
          line.bucket === 'request'
            ? [line.bucket, line.requests, line.ratePerRequest, formatMoney(line.amount)]
            : [line.bucket, line.tokens, line.ratePerMtok, formatMoney(line.amount)],
        ),
      ).toEqual(lines);
      expect(formatMoney(result.cost)).toBe(cost);
      expect(result).toMatchObject({ source: 'catalogue', provider: costedProvider });
    });
  }
});
