import { describe, expect, it } from 'vitest';
import { dollar, formatMoney, parseMoney } from '../../src/lib/money.ts';
import { type UnitName, type Units, unitNames } from '../../src/lib/units.ts';
import { type CostLine, calcCost } from '../../src/pricing/cost.ts';
import { awsTermCases } from './golden/terms-aws.ts';
import { googleTermCases } from './golden/terms-google.ts';
import { mistralAndOthersTermCases } from './golden/terms-mistral-and-others.ts';
import { openaiDiscountCases } from './golden/terms-openai-discounts.ts';
import { openaiPremiumCases } from './golden/terms-openai-premiums.ts';
import { otherTermCases } from './golden/terms-others.ts';
import { awsUnitCases } from './golden/units-aws.ts';
import { cohereMistralAndOthersUnitCases } from './golden/units-cohere-mistral-and-others.ts';
import { googleUnitCases } from './golden/units-google.ts';
import { openaiUnitCases } from './golden/units-openai.ts';
import { otherUnitCases } from './golden/units-others.ts';
import { supplements } from './reviewed.ts';
import type { SupplementCase } from './supplement-case.ts';
import { callOf, openInstalledBook, usageOfLines } from './support.ts';

const book = openInstalledBook();
const cases = [
  ...openaiDiscountCases,
  ...openaiPremiumCases,
  ...otherTermCases,
  ...googleTermCases,
  ...awsTermCases,
  ...mistralAndOthersTermCases,
  ...openaiUnitCases,
  ...otherUnitCases,
  ...googleUnitCases,
  ...awsUnitCases,
  ...cohereMistralAndOthersUnitCases,
];

function unitsOf({ units = [], unpricedUnits = [] }: SupplementCase): Units {
  const priced = units.map(([unit, count]): [UnitName, bigint] => [unit, parseMoney(count) ?? 0n]);
  return Object.fromEntries([...priced, ...unpricedUnits.map((unit): [UnitName, bigint] => [unit, dollar])]);
}

/** The pages of supplements that priced a line, or changed its rate. */
function pagesOf(line: CostLine): string[] {
  const sources = [line.source, ...('terms' in line ? (line.terms ?? []) : []).map(({ source }) => source)];
  return sources.flatMap((source) => (source.kind === 'supplement' ? [source.page] : []));
}

/** A rate in one form, however its price list counts. */
const perMillion = (usd: string, per: number) => `${((parseMoney(usd) ?? 0n) * 1_000_000n) / BigInt(per)}`;

function toGolden(line: CostLine) {
  const amount = formatMoney(line.amount);
  if ('unit' in line)
    return [line.unit, formatMoney(line.count), perMillion(line.rate.usd.text, line.rate.per), amount];
  if (line.bucket === 'request') return [line.bucket, line.requests, line.ratePerRequest, amount];
  return [line.bucket, line.tokens, line.ratePerMtok, amount];
}

describe('what calls with terms and units cost at list prices (D26.2)', () => {
  for (const golden of cases) {
    it(golden.name, () => {
      const { provider, model, at, terms = {}, lines = [], units = [], partlyPriced = [] } = golden;
      const result = calcCost(
        callOf({
          provider,
          model,
          terms,
          time: Date.parse(at ?? '2026-11-04T12:00:00Z'),
          usage: lines.length === 0 ? null : usageOfLines(lines),
          units: unitsOf(golden),
        }),
        book,
      );
      const written = units.map(([unit, count, usd, per, amount]) => [
        unit,
        formatMoney(parseMoney(count) ?? 0n),
        perMillion(usd, per),
        amount,
      ]);
      expect(result.lines.map(toGolden)).toEqual([...lines, ...written]);
      expect(formatMoney(result.cost)).toBe(golden.cost);
      expect(result).toMatchObject({ source: 'catalogue', provider, partlyPriced });
      const pages = golden.isOrdinary ? [] : [golden.source, ...(golden.otherSources ?? [])];
      expect([...new Set(result.lines.flatMap(pagesOf))].sort()).toEqual(pages.sort());
    });
  }

  it('has a case for each unit that a supplement prices', () => {
    const priced = new Set(supplements.flatMap(({ units = {} }) => Object.keys(units)));
    const counted = new Set<string>(
      cases.flatMap(({ lines = [], units = [] }) => [...lines, ...units].map(([name]) => name)),
    );
    if (counted.has('request')) counted.add('requests');
    expect(unitNames.filter((unit) => priced.has(unit) && !counted.has(unit))).toEqual([]);
  });
});
