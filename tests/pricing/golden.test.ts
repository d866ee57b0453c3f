import { describe, expect, it } from 'vitest';
import { formatMoney } from '../../src/lib/money.ts';
import { usageBuckets } from '../../src/lib/usage-buckets.ts';
import { installedCatalogue } from '../../src/pricing/catalogue.ts';
import { calcCost } from '../../src/pricing/cost.ts';
import { anthropicCases } from './golden/anthropic.ts';
import { awsCases } from './golden/aws.ts';
import { azureAndTunedCases } from './golden/azure-and-tuned.ts';
import { googleCases } from './golden/google.ts';
import { mistralAndDeepseekCases } from './golden/mistral-and-deepseek.ts';
import { openaiCases } from './golden/openai.ts';
import { openaiGpt5Cases } from './golden/openai-gpt-5.ts';
import { openaiMediaCases } from './golden/openai-media.ts';
import { othersCases } from './golden/others.ts';
import { unpricedCases } from './golden/unpriced.ts';
import { callOf, openInstalledBook, usageOfLines } from './support.ts';

const book = openInstalledBook();
const goldenCases = [
  ...openaiCases,
  ...openaiGpt5Cases,
  ...openaiMediaCases,
  ...azureAndTunedCases,
  ...anthropicCases,
  ...googleCases,
  ...awsCases,
  ...mistralAndDeepseekCases,
  ...othersCases,
];

describe('what calls cost at list prices (D5.2)', () => {
  for (const { name, source, isCorrected, provider, model, at, costedProvider, lines, cost } of goldenCases) {
    it(name, () => {
      const time = Date.parse(at ?? '2026-11-04T12:00:00Z');
      const result = calcCost(callOf({ provider, model, time, usage: usageOfLines(lines) }), book);
      expect(
        result.lines.map((line) =>
          'tokens' in line
            ? [line.bucket, line.tokens, line.ratePerMtok, formatMoney(line.amount)]
            : 'requests' in line && [line.bucket, line.requests, line.ratePerRequest, formatMoney(line.amount)],
        ),
      ).toEqual(lines);
      expect(formatMoney(result.cost)).toBe(cost);
      expect(result).toMatchObject({ source: 'catalogue', provider: costedProvider ?? provider });
      for (const line of result.lines) {
        expect(line.source).toMatchObject({
          kind: 'catalogue',
          version: installedCatalogue().version,
          correctionSource: isCorrected ? source : null,
        });
      }
    });
  }

  it('has a case for each kind of token', () => {
    const billed = new Set(goldenCases.flatMap(({ lines }) => lines.map(([bucket]) => bucket)));
    expect(usageBuckets.filter((bucket) => !billed.has(bucket) && bucket !== 'outputVideo')).toEqual([]);
    expect(billed).toContain('request');
  });
});

describe('what has no list price (D5.4)', () => {
  for (const { name, provider, model, reason, costedProvider } of unpricedCases) {
    it(`${name}: ${reason}`, () => {
      expect(calcCost(callOf({ provider, model }), book)).toEqual({
        cost: 0n,
        source: 'unpriced',
        unpricedReason: reason,
        provider: costedProvider,
        partlyPriced: [],
        lines: [],
      });
    });
  }
});
