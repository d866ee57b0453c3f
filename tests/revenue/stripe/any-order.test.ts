import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mergeObjects, writeObject } from '../../../src/billing/revenue/stripe/objects.ts';
import { usualOrLong } from '../../support/effort.ts';
import { makeProject, type OpenControl, openControl } from '../../support/stores.ts';
import { apiVersions, eventsOf, type Json, type MadeInvoice, totalsOf } from '../../support/stripe.ts';
import { entriesOf, read, take } from './store.ts';

const day = 86_400;
const year = Date.UTC(2025, 0, 1) / 1_000;

let opened: OpenControl;

beforeAll(async () => {
  opened = await openControl();
});

afterAll(async () => {
  await opened?.close();
});

/** A line of any kind: a month, a year, a proration up or down, a metered one for the month before, with a coupon or tax. */
const line = fc
  .record({
    amount: fc.oneof(fc.integer({ min: 100, max: 500_000 }), fc.integer({ min: -3_000, max: -1 }), fc.constant(0)),
    discountPct: fc.constantFrom(0, 0, 10, 33),
    taxPct: fc.constantFrom(0, 19, 8),
    isTaxIncluded: fc.boolean(),
    start: fc.integer({ min: -31, max: 31 }),
    days: fc.constantFrom(0, 1, 30, 31, 365),
  })
  .map(({ amount, discountPct, taxPct, isTaxIncluded, start, days }) => {
    const discount = amount > 0 ? Math.floor((amount * discountPct) / 100) : 0;
    const left = amount - discount;
    const tax = Math.round(isTaxIncluded ? (left * taxPct) / (100 + taxPct) : (left * taxPct) / 100);
    return { amount, discount, tax, isTaxIncluded, from: year + start * day, to: year + (start + days) * day };
  });

const invoice = fc
  .record({
    version: fc.constantFrom(...apiVersions),
    currency: fc.constantFrom('usd', 'usd', 'eur', 'jpy', 'kwd'),
    fate: fc.constantFrom(
      'paid' as const,
      'paid' as const,
      'void' as const,
      'uncollectible' as const,
      'uncollectible, then paid' as const,
    ),
    lines: fc.array(line, { minLength: 1, maxLength: 13 }),
    start: fc.nat(330),
    hidesDiscounts: fc.boolean(),
    // Shares of the total, in thousandths: of two refunds beside a credit note that is refunded too.
    parts: fc.array(fc.integer({ min: 0, max: 330 }), { minLength: 3, maxLength: 3 }),
    notes: fc.array(fc.record({ isRefunded: fc.boolean(), isVoided: fc.boolean() }), { maxLength: 2 }),
  })
  .map(({ parts, notes, start, ...fields }, at = 0): MadeInvoice => {
    const madeAt = year + start * day + at;
    const made = { id: '', customer: 'cus_1', madeAt, creditNotes: [], refunds: [], ...fields };
    const { total, net } = totalsOf(made);
    if (total <= 0 || net <= 0) return made;
    const part = (index: number, of: number) => Math.floor((of * (parts[index] ?? 0)) / 1_000);
    return {
      ...made,
      creditNotes: notes.map((note, index) => ({
        ...{ at: madeAt + (3 + index) * day, line: 0, amount: part(0, net), tax: part(0, total - net), ...note },
        // Stripe voids a credit note only while nothing was paid back by it.
        isVoided: note.isVoided && !note.isRefunded,
      })),
      refunds: [part(1, total), part(2, total)].flatMap((amount, index) =>
        amount === 0 ? [] : [{ at: madeAt + (2 + 5 * index) * day, amount }],
      ),
    };
  });

/** Half-even, by exact whole numbers. */
function roundedShare(gross: number, net: number, total: number): bigint {
  const [twice, whole] = [2n * BigInt(gross) * BigInt(net), 2n * BigInt(total)];
  const low = twice / whole;
  const over = 2n * (twice % whole);
  return over > whole || (over === whole && low % 2n === 1n) ? low + 1n : low;
}

/** What an invoice earns in the end, net of tax, in minor units: of the made amounts alone. */
function expectedOf(made: MadeInvoice): bigint {
  if (made.fate === 'void' || made.fate === 'uncollectible') return 0n;
  const { net, total } = totalsOf(made);
  const credited = made.creditNotes.reduce((sum, { amount, isVoided }) => sum + (isVoided === true ? 0 : amount), 0);
  const refunded = made.refunds.reduce((sum, { amount }) => sum + amount, 0);
  return BigInt(net - credited) - (refunded === 0 ? 0n : roundedShare(refunded, net, total));
}

const digits = new Map([
  ['JPY', 12],
  ['KWD', 9],
]);

test('D17.1: any order and repetition of a year of webhooks gives the same entries, whose sums are those of Stripe to the cent', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(invoice, { minLength: 1, maxLength: 5 }),
      fc.infiniteStream(fc.nat()),
      async (invoices, chance) => {
        const made = invoices.map((one, index) => ({ ...one, id: `in_${index}` }));
        const next = () => Number(chance.next().value);
        const inOrder = made.flatMap(eventsOf);
        const repeated = [...inOrder, ...inOrder.filter(() => next() % 3 === 0)];
        const mixed = repeated.map((one) => [next(), one] as const).sort(([a], [b]) => a - b);
        const [{ id: first }, { id: second }] = [await aProject(), await aProject()];
        for (const one of inOrder) await take(opened.control, first, one);
        let batch: Json[] = [];
        for (const [, one] of mixed) {
          batch.push(one);
          if (next() % 3 > 0) continue;
          await take(opened.control, second, ...batch);
          batch = [];
        }
        await take(opened.control, second, ...batch);
        const entries = await entriesOf(opened.control, first);
        expect(await entriesOf(opened.control, second)).toEqual(entries);
        for (const one of made) {
          const own = entries.filter(({ stripe_invoice: id }) => id === one.id);
          const unit = 10n ** BigInt(digits.get(one.currency.toUpperCase()) ?? 10);
          const earned = own.reduce((sum, { amount }) => sum + BigInt(amount.replace('.', '')), 0n);
          expect({ one, earned }).toEqual({ one, earned: expectedOf(one) * unit });
        }
        // Once more, and nothing is written.
        expect(await take(opened.control, second, ...inOrder)).toBe(0);
      },
    ),
    { numRuns: usualOrLong(2, 400) },
  );
});

const aProject = async () => await makeProject(opened.control, () => year * 1_000);

test('D17.1: of two states of an object, the later one holds, in whatever order and groups they come', () => {
  const states = invoice.chain((one) => {
    const found = eventsOf({ ...one, id: 'in_0' }).flatMap((event) => read(event));
    return fc.array(fc.constantFrom(...found), { minLength: 3, maxLength: 3 });
  });
  fc.assert(
    fc.property(states, (three) => {
      const [a, b, c] = three.map((one) => ({ ...one, id: 'same' })).filter(({ kind }) => kind === three[0]?.kind);
      if (!a || !b || !c) return;
      const text = writeObject(mergeObjects(mergeObjects(a, b), c));
      expect(writeObject(mergeObjects(a, mergeObjects(b, c)))).toBe(text);
      expect(writeObject(mergeObjects(mergeObjects(c, a), b))).toBe(text);
      expect(writeObject(mergeObjects(a, a))).toBe(writeObject(a));
    }),
    { numRuns: usualOrLong(100, 5_000) },
  );
});
