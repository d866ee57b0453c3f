// D18.2: entries of several days, of tools, and of models under other names; invoices without models.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InvoiceEntry } from '../../../src/billing/invoices/entry.ts';
import { describePart, describePrice } from '../../../src/billing/invoices/reconciliation/hints.ts';
import { type SplitLine, splitDifferences, spreadOver } from '../../../src/billing/invoices/reconciliation/split.ts';
import { noUsage, type UsageRecord } from '../../../src/billing/invoices/reconciliation/usage.ts';
import { toDay } from '../../../src/lib/days.ts';
import { runAtOnce } from '../../../src/lib/slices.ts';
import { baseOf, isSnapshot } from '../../../src/pricing/snapshot-names.ts';
import { picos } from '../../support/decimal.ts';
import { firstDay } from './worlds.ts';

const range = { from: firstDay, to: firstDay + 9 };
const places = Array.from({ length: 10 }, (_, place) => place);
const usd = (amount: number) => picos(amount.toFixed(6));

const used = (place: number, cost: number, fields: Partial<UsageRecord> = {}): UsageRecord => ({
  ...noUsage,
  ...{ day: firstDay + place, providerDay: firstDay + place, provider: 'openai', model: 'gpt-4o' },
  calls: 10n,
  cost: usd(cost),
  ...fields,
});

const entry = (from: number, amount: number, fields: Partial<InvoiceEntry> & { to?: number } = {}): InvoiceEntry => {
  const { to = from, ...rest } = fields;
  return {
    ...{ externalId: 'e', provider: 'openai', model: 'gpt-4o', kind: 'usage', description: undefined },
    ...{ dateFrom: toDay(firstDay + from), dateTo: toDay(firstDay + to), amount: usd(amount) },
    ...rest,
  };
};

function split(usage: readonly UsageRecord[], entries: readonly InvoiceEntry[]) {
  const lines = runAtOnce(splitDifferences({ range, usage, entries }, () => undefined));
  for (const { line, parts } of lines) {
    line.days.forEach(({ charged, computed, others }, place) => {
      const difference = [charged, ...others.values()].reduce((a, b) => a + b, 0n) - computed;
      expect(parts.filter((part) => part.place === place).reduce((sum, { amount }) => sum + amount, 0n)).toBe(
        difference,
      );
    });
  }
  return lines;
}

const sums = (lines: readonly SplitLine[]): Record<string, number> => {
  const found: Record<string, bigint> = {};
  for (const { parts } of lines) for (const { kind, amount } of parts) found[kind] = (found[kind] ?? 0n) + amount;
  return Object.fromEntries(
    Object.entries(found).flatMap(([kind, amount]) => (amount === 0n ? [] : [[kind, Number(amount) / 1e12]])),
  );
};
const namesOf = (lines: readonly SplitLine[]) => lines.map(({ line }) => line.model).toSorted();

test('D18.2: shares add up to the whole, and have its sign', () => {
  fc.assert(
    fc.property(
      fc.bigInt(-(10n ** 18n), 10n ** 18n),
      fc.array(fc.bigInt(0n, 10n ** 15n), { minLength: 1 }),
      (amount, weights) => {
        const shares = spreadOver(amount, weights);
        expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(amount);
        expect(shares.every((share) => share === 0n || share > 0n === amount > 0n)).toBe(true);
      },
    ),
  );
});

describe('entries of several days', () => {
  test('D18.2: a span is compared as a whole; its days have equal shares, which is timing', () => {
    const lines = split(
      places.map((place) => used(place, place + 1 / 3)),
      [entry(0, 100 / 3, { to: 9 }), entry(0, 15, { to: 9 })],
    );
    expect(sums(lines)).toEqual({ rest: expect.closeTo(0, 5) });
    const days = lines[0]?.parts.filter(({ kind }) => kind === 'timing') ?? [];
    expect(days.length).toBeGreaterThan(0);
    expect(days.reduce((sum, { amount }) => sum + amount, 0n)).toBe(0n);
  });

  test('D18.2: spans of weeks give a price from three on', () => {
    const lines = split(
      places.map((place) => used(place, 7 + (place % 3))),
      [entry(0, 0.9 * (7 + 8 + 9), { to: 2 }), entry(3, 0.9 * 24, { to: 5 }), entry(6, 0.9 * (24 + 7), { to: 9 })],
    );
    expect(sums(lines)).toEqual({ price: expect.closeTo(-0.1 * 79, 6) });
  });

  test('D18.2: only the part of an entry within the range counts', () => {
    const lines = split(
      places.map((place) => used(place, 1)),
      [entry(-10, 40, { to: 29 })],
    );
    expect(sums(lines)).toEqual({});
  });
});

test('D18.2: where a provider has no invoice, calls near midnight are not invoiced on their own day', () => {
  const late = places.map((place) => used(place, 1 + place, { providerDay: firstDay + place + 1 }));
  expect(sums(split(late, []))).toEqual({ not_invoiced: -55 });
  expect(sums(split(late, [entry(0, -4, { kind: 'credit', model: undefined })]))).toEqual({
    not_invoiced: -55,
    credit: -4,
  });
});

describe('invoices without models', () => {
  const both = places.flatMap((place) => [used(place, 2 + place), used(place, 5 - (place % 2), { model: 'o3' })]);
  const total = (place: number) => 7 + place - (place % 2);

  test('D18.2: they are compared with all calls of the provider, in a line without a model', () => {
    const lines = split(
      both,
      places.map((place) => entry(place, total(place), { model: undefined, provider: 'OpenAI' })),
    );
    expect(lines.map(({ line }) => [line.provider, line.model])).toEqual([['openai', '']]);
    expect(sums(lines)).toEqual({});
  });

  test('D18.2: one factor of all of them is a discount, if several models were used', () => {
    const entries = places.map((place) => entry(place, total(place) * 0.75, { model: undefined }));
    const whole = places.reduce((sum, place) => sum + total(place), 0);
    expect(sums(split(both, entries))).toEqual({ discount: expect.closeTo(-whole / 4, 6) });
    const ofOne = places.map((place) => used(place, total(place)));
    expect(sums(split(ofOne, entries))).toEqual({ price: expect.closeTo(-whole / 4, 6) });
  });
});

describe('tools', () => {
  const searches = new Map([['web_searches' as const, 10n ** 12n]]);
  const withTools = places.map((place) => used(place, 3 + place + 0.5, { units: searches }));
  const others = places.map((place) => used(place, 1, { model: 'o3' }));
  const entries = places.flatMap((place) => [entry(place, 3 + place), entry(place, 1, { model: 'o3' })]);

  test('D18.2: what is charged without a model goes to the models whose calls used tools', () => {
    const tools = places.map((place) => entry(place, 0.5, { model: undefined }));
    expect(sums(split([...withTools, ...others], [...entries, ...tools]))).toEqual({});
  });

  test('D18.2: what they do not lack is charged without calls', () => {
    const tools = places.map((place) => entry(place, 2, { model: undefined }));
    const lines = split([...withTools, ...others], [...entries, ...tools]);
    expect(sums(lines)).toEqual({ not_seen: expect.closeTo(15, 6) });
    expect(lines.find(({ line }) => line.model === '')?.parts[0]?.kind).toBe('not_seen');
  });
});

describe('names', () => {
  test('D18.2: a name without a snapshot stands for the snapshots of the other side only', () => {
    const days = (model: string) => places.map((place) => used(place, 2, { model }));
    const invoice = (model: string) => places.map((place) => entry(place, 2, { model }));
    const alias = split(days('gpt-4o'), invoice('gpt-4o-2024-08-06'));
    expect([namesOf(alias), sums(alias)]).toEqual([['gpt-4o'], {}]);
    const snapshot = split(days('models/Claude-Sonnet-4-20250514'), invoice('claude-sonnet-4-0'));
    expect([namesOf(snapshot), sums(snapshot)]).toEqual([['models/Claude-Sonnet-4-20250514'], {}]);
    const twoSnapshots = split(
      [...days('gpt-4o-2024-05-13'), ...days('gpt-4o')],
      [...invoice('gpt-4o-2024-05-13'), ...invoice('gpt-4o-2024-08-06')],
    );
    expect(sums(twoSnapshots)).toEqual({});
    const apart = split(days('gpt-4o-2024-05-13'), invoice('gpt-4o-2024-08-06'));
    expect(sums(apart)).toEqual({ not_seen: 20, not_invoiced: -20 });
  });

  test('D18.2: providers are compared by their names of OpenTelemetry; calls without one by their model', () => {
    const calls = places.map((place) => used(place, 2, { provider: 'aws', model: 'nova-pro' }));
    const unnamed = places.map((place) => used(place, 0, { provider: '', model: 'house', unpriced: 10n }));
    const lines = split(
      [...calls, ...unnamed],
      places.flatMap((place) => [
        entry(place, 2, { provider: 'aws.bedrock', model: 'nova-pro' }),
        entry(place, 1, { provider: 'aws.bedrock', model: 'house' }),
      ]),
    );
    expect(new Set(lines.map(({ line }) => line.provider))).toEqual(new Set(['aws']));
    expect(sums(lines)).toEqual({ unpriced: 10 });
  });

  test.each([
    ['gpt-4o-2024-08-06', 'gpt-4o', true],
    ['claude-opus-4@20250514', 'claude-opus-4', true],
    ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet', false],
    ['gemini-2.0-flash-001', 'gemini-2.0-flash', true],
    ['mistral-large-2411', 'mistral-large', true],
    ['gpt-4.1', 'gpt-4.1', false],
  ])('D18.2: %s is of %s', (name, base, snapshot) => {
    expect([baseOf(name), isSnapshot(name)]).toEqual([base, snapshot]);
  });
});

describe('calls without a price among others', () => {
  const tokens = [1_000n, ...noUsage.tokens.slice(1)];
  const mixed = places.map((place) => used(place, 3, { unpriced: 4n, unpricedTokens: 400n, tokens }));

  test('D18.2: they are charged at the average for a token, or by all of the difference if that is near', () => {
    expect(
      sums(
        split(
          mixed,
          places.map((place) => entry(place, 5)),
        ),
      ),
    ).toEqual({ unpriced: expect.closeTo(20, 6) });
    // 0.4 of what is charged is far above the difference.
    const lines = split(
      mixed,
      places.map((place) => entry(place, 3.1)),
    );
    expect(sums(lines).unpriced).toBeCloseTo(12.4, 6);
  });
});

test('D18.2: odd days before and after those of a price do not hide it', () => {
  const factor = (place: number) => (place >= 4 ? 1.5 : 1);
  const lines = split(
    places.map((place) => used(place, 10 + place)),
    places.map((place) => entry(place, (10 + place) * factor(place) + (place === 0 ? 4 : 0))),
  );
  expect(lines[0]?.price).toMatchObject({ from: 4, to: 9 });
  expect(sums(lines)).toEqual({ price: expect.closeTo(0.5 * (14 + 15 + 16 + 17 + 18 + 19), 6), not_seen: 4 });
});

test('D18.2: a change of a price in the middle has its days; one day that is odd hides it not', () => {
  const isNew = (place: number) => place >= 3 && place <= 7;
  const lines = split(
    places.map((place) => used(place, 10 + place)),
    places.map((place) => entry(place, (10 + place) * (isNew(place) ? 1.5 : 1) + (place === 5 ? 4 : 0))),
  );
  expect(lines[0]?.price).toMatchObject({ from: 3, to: 7 });
  expect(sums(lines)).toEqual({
    price: expect.closeTo(0.5 * (13 + 14 + 15 + 16 + 17), 6),
    not_seen: expect.closeTo(4, 6),
  });
});

describe('names and entries that are there twice', () => {
  const daily = (model: string) => places.map((place) => used(place, 2 + (place % 3), { model }));
  const charges = (model: string, factor = 1, fields: Partial<InvoiceEntry> = {}) =>
    places.map((place) => entry(place, factor * (2 + (place % 3)), { model, ...fields }));

  test.each([
    ['openai/gpt-4.1', 'gpt-4.1'],
    ['openai/gpt-4.1-2025-04-14', 'gpt-4.1'],
    ['gpt-4.1', 'OpenAI/gpt-4.1'],
    ['ft:gpt-4o-mini-2024-07-18:acme::abc123', 'ft-gpt-4o-mini-2024-07-18'],
    ['ft:gpt-4.1-mini-2025-04-14:acme::B1abc', 'ft-gpt-4.1-mini-2025-04-14:acme::B1abc'],
  ])('D18.2: calls of %s are compared with the entries of %s', (called, invoiced) => {
    expect(sums(split(daily(called), charges(invoiced)))).toEqual({});
  });

  test('D18.2: one invoice that was stored twice is no price', () => {
    const twice = [...charges('gpt-4o'), ...charges('gpt-4o', 1, { externalId: 'again' })];
    const [{ line, price }] = split(daily('gpt-4o'), twice) as [SplitLine];
    expect(price?.finding).toMatchObject({ kind: 'ratio', ratio: 2n * 10n ** 15n });
    expect(price && describePrice(line, price)).toContain('stored twice');
    const [other] = split(daily('gpt-4o'), charges('gpt-4o', 2));
    expect(other?.price && describePrice(other.line, other.price)).not.toContain('stored twice');
    // Its amounts are to the cent, from a dollar on.
    const tax = (amount: number) => describePart([{ line, cause: 'tax', amount: usd(amount), calls: 0n }], range);
    expect([9_997_401_968.499174, 0.004].map(tax).join(' ')).toBe(
      'Taxes on the invoice: $9,997,401,968.50. Taxes on the invoice: $0.004.',
    );
  });

  test('D18.2: one bill that was stored as a month and by its days is said to be twice', () => {
    const days = charges('gpt-4o');
    const sum = days.reduce((total, { amount }) => total + amount, 0n);
    const [first, last] = [days[0], days.at(-1)] as [InvoiceEntry, InvoiceEntry];
    const whole = { ...first, externalId: 'all', dateTo: last.dateTo, amount: sum };
    const [line] = split(daily('gpt-4o'), [...days, whole]) as [SplitLine];
    expect(line.line.isStoredTwoWays).toBe(true);
    const [other] = split(daily('gpt-4o'), [...days, { ...whole, amount: sum + 1n }]) as [SplitLine];
    expect(other.line.isStoredTwoWays).toBe(false);
  });

  test('D18.2: an amount that no rounding to cents explains is not called rounding', () => {
    const lines = split(
      places.map((place) => used(place, 0.0804)),
      places.map((place) => entry(place, 0.09)),
    );
    // At 1.1 times the price each day is within half a cent of its entry; only the remainder is rounding.
    expect(sums(lines)).toMatchObject({ price: expect.closeTo(0.0804, 4), rest: expect.closeTo(0.0156, 4) });
  });
});
