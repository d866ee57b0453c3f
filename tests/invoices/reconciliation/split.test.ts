// D18.2: the split of random invoices, made from the truth plus known faults.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toRecords } from '../../../src/billing/invoices/reconciliation/rows.ts';
import { type SplitLine, splitDifferences } from '../../../src/billing/invoices/reconciliation/split.ts';
import { type OverrideWire, type PartKind, partKinds } from '../../../src/billing/invoices/reconciliation/wire.ts';
import { toDay } from '../../../src/lib/days.ts';
import { runAtOnce } from '../../../src/lib/slices.ts';
import { usualOrLong } from '../../support/effort.ts';
import { anyWorld, makeWorld, noFaults, reprice, type World } from './worlds.ts';

const numRuns = usualOrLong(15, 3_000);
const cent = 10n ** 10n;
const sizeOf = (amount: bigint) => (amount < 0n ? -amount : amount);

const splitWorld = (world: World): SplitLine[] => runAtOnce(splitDifferences(world, world.ratesOf));

function sumParts(split: readonly SplitLine[]): ReadonlyMap<PartKind, bigint> {
  const sums = new Map<PartKind, bigint>(partKinds.map((kind) => [kind, 0n]));
  for (const { parts } of split) {
    for (const { kind, amount } of parts) sums.set(kind, (sums.get(kind) ?? 0n) + amount);
  }
  return sums;
}

/** On every day of every line the parts are what is invoiced less what is computed; all lines have all of both. */
function expectWhole(split: readonly SplitLine[], { usage, entries, range }: World): void {
  let [computed, invoiced] = [0n, 0n];
  for (const { line, parts } of split) {
    line.days.forEach((day, place) => {
      const charged = [day.charged, ...day.others.values()].reduce((a, b) => a + b, 0n);
      const ofDay = parts.filter((part) => part.place === place).reduce((sum, { amount }) => sum + amount, 0n);
      expect(ofDay, `${line.model} on day ${place}`).toBe(charged - day.computed);
      computed += day.computed;
      invoiced += charged;
    });
  }
  const isInRange = ({ day }: { readonly day: number }) => day >= range.from && day <= range.to;
  expect(computed).toBe(usage.filter(isInRange).reduce((sum, { cost }) => sum + cost, 0n));
  expect(invoiced).toBe(entries.reduce((sum, { amount }) => sum + amount, 0n));
}

function expectParts(world: World, split: readonly SplitLine[]): void {
  const found = sumParts(split);
  // Rounded entries are off by half a cent each, which is nobody's fault.
  for (const kind of partKinds.filter((one) => one !== 'rest')) {
    const expected = world.expected.get(kind) ?? 0n;
    const allowed = sizeOf(expected) / 1_000n > cent ? sizeOf(expected) / 1_000n : cent;
    const is = found.get(kind) ?? 0n;
    expect(sizeOf(is - expected) <= allowed, `${kind}: ${Number(is) / 1e12}, not ${Number(expected) / 1e12}`).toBe(
      true,
    );
  }
  const rounded = world.entries.length;
  expect(sizeOf(found.get('rest') ?? 0n) <= (BigInt(rounded) * cent) / 2n, `rest: ${found.get('rest')}`).toBe(true);
}

test('D18.2: the parts add up to the difference on every day, and each fault lands in its part', () => {
  fc.assert(
    fc.property(anyWorld, (spec) => {
      const world = makeWorld(spec);
      const split = splitWorld(world);
      expectWhole(split, world);
      expectParts(world, split);
    }),
    { numRuns },
  );
});

test('D18.2: the override that is offered closes the difference that it explains', () => {
  const fromAnyDay = { seed: 1, days: 14, faults: { ...noFaults, ratio: 150, ratioFrom: 3 } };
  const anyPrice = anyWorld.filter(({ faults: { ratio, outputPrice } }) => ratio !== null || outputPrice !== null);
  fc.assert(
    fc.property(anyPrice, ({ seed, days, faults }) => {
      // An override has days of the project: from a day in the middle on, calls near midnight keep their price.
      const world = makeWorld({ seed, days, faults: { ...faults, ratioFrom: faults.timezone ? 0 : faults.ratioFrom } });
      const before = splitWorld(world);
      const overrides = before.flatMap(({ price }): OverrideWire[] => (price?.override ? [price.override] : []));
      const wanted = [
        ...(faults.ratio === null ? [] : ['claude-a']),
        ...(faults.outputPrice === null ? [] : ['claude-b']),
      ];
      expect(overrides.map(({ model }) => model).toSorted()).toEqual(wanted);
      const repriced = overrides.reduce(reprice, world);
      const ofModels = (split: readonly SplitLine[]) => split.filter(({ line }) => wanted.includes(line.model));
      const left = sumParts(ofModels(splitWorld(repriced)));
      const size = sizeOf(sumParts(ofModels(before)).get('price') ?? 0n);
      const allowed = size / 1_000n > cent ? size / 1_000n : cent;
      // Of the other faults only those of time are of these models.
      for (const kind of partKinds.filter((one) => one !== 'timing' && one !== 'rest')) {
        expect(sizeOf(left.get(kind) ?? 0n) <= allowed, `${kind}: ${left.get(kind)}`).toBe(true);
      }
    }),
    { numRuns: Math.ceil(numRuns / 3), examples: [[fromAnyDay]] },
  );
});

test('D18.2: without a fault nothing differs', () => {
  fc.assert(
    fc.property(anyWorld, ({ seed, days }) => {
      const split = splitWorld(makeWorld({ seed, days, faults: noFaults }));
      expect(split.flatMap(({ parts }) => parts.filter(({ amount }) => amount !== 0n))).toEqual([]);
    }),
    { numRuns: Math.ceil(numRuns / 6) },
  );
});

test('D18.2: a page makes its own rows and those of no later period', () => {
  fc.assert(
    fc.property(anyWorld, fc.integer({ min: 1, max: 20 }), fc.boolean(), (spec, limit, isLater) => {
      const world = makeWorld(spec);
      const split = splitWorld(world);
      const range = { dateFrom: toDay(world.range.from), dateTo: toDay(world.range.to) };
      const periods = Array.from({ length: world.range.to - world.range.from + 1 }, (_, index) => {
        const day = toDay(world.range.from + index);
        return { dateFrom: day, dateTo: day };
      });
      const afterValue = isLater ? split[0]?.line.model : undefined;
      const read = (most: number) => runAtOnce(toRecords(split, { periods, range, afterValue, limit: most }, 'model'));
      const all = read(1_000_000);
      const page = read(limit);
      expect(page).toEqual(all.slice(0, page.length));
      expect(page.length).toBeGreaterThan(Math.min(limit, all.length - 1));
      const last = page.at(-1)?.period;
      expect(page.filter(({ period }) => period !== last).length).toBeLessThanOrEqual(limit);
    }),
    { numRuns },
  );
});
