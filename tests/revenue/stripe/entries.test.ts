import { afterAll, beforeAll, expect, test } from 'vitest';
import { csvInvoice } from '../../../src/billing/revenue/stripe/csv-invoice.ts';
import { readCountedRevenue } from '../../../src/reports/facts/counted.ts';
import { january } from '../../api/D17-stripe/support.ts';
import { makeProject, type OpenControl, openControl } from '../../support/stores.ts';
import { eventsOf } from '../../support/stripe.ts';
import { entriesOf, take } from './store.ts';

const at = (day: number): number => Date.UTC(2026, 0, day) / 1_000;
let opened: OpenControl;

beforeAll(async () => {
  opened = await openControl();
});

afterAll(async () => {
  await opened?.close();
});

test('D17.1: a refund beside a credit note of the same money counts once, and another one counts beside it', async () => {
  const { id } = await makeProject(opened.control, () => 0);
  const creditNotes = [{ at: at(9), line: 0, amount: 5_000, isRefunded: true }];
  const made = january({ creditNotes, refunds: [{ at: at(5), amount: 1_000 }] });
  await take(opened.control, id, ...eventsOf(made).toReversed());
  const counted = await readCountedRevenue(opened.control, id, { limit: 10 });
  expect(counted.map(({ amount, dateFrom }) => [Number(amount / 10n ** 10n), dateFrom])).toEqual([
    [-1_000, '2026-01-05'],
    [-5_000, '2026-01-09'],
    [31_000, '2026-01-01'],
  ]);
  const [first] = counted;
  const after = await readCountedRevenue(opened.control, id, { after: first?.externalId, limit: 1 });
  expect(after).toEqual(counted.slice(1, 2));
});

test.each([
  ['at noon', '2026-01-15T12:00:00Z', '2026-02-15T12:00:00Z', '2026-01-15', '2026-02-14'],
  ['at midnight', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z', '2026-01-01', '2026-01-31'],
  ['with its last second', '2026-01-01T00:00:00Z', '2026-01-31T23:59:59Z', '2026-01-01', '2026-01-31'],
  ['on the day on which it began', '2026-01-05T08:00:00Z', '2026-01-05T20:00:00Z', '2026-01-05', '2026-01-05'],
  ['within a day', '2026-01-05T08:00:00Z', '2026-01-06T07:00:00Z', '2026-01-05', '2026-01-05'],
])('D17.1: a line whose period ends %s shares no day with the next one', async (_, from, to, first, last) => {
  const { id } = await makeProject(opened.control, () => 0);
  const seconds = (time: string) => Date.parse(time) / 1_000;
  const made = january({ lines: [{ amount: 3_100, from: seconds(from), to: seconds(to) }] });
  await take(opened.control, id, ...eventsOf(made));
  expect(await entriesOf(opened.control, id)).toMatchObject([{ date_from: first, date_to: last }]);
});

test("D17.2: a row of the Dashboard's CSV is an invoice over all periods of its lines, and gives way to the invoice itself", async () => {
  const { id } = await makeProject(opened.control, () => 0);
  const row = {
    ...{ id: 'in_1', Customer: 'cus_1', Currency: 'usd', Status: 'paid', Total: '1,310.50', Tax: '0.50' },
    ...{ 'Date (UTC)': '2026-01-01 00:00', 'Minimum Line Item Period Start (UTC)': '2026-01-01 00:00' },
    'Maximum Line Item Period End (UTC)': '2026-02-01 00:00',
  };
  await take(opened.control, id, csvInvoice(row).invoice ?? {});
  expect(await entriesOf(opened.control, id)).toMatchObject([
    { external_id: 'stripe:in_1:csv', amount: '1310.000000000000', date_from: '2026-01-01', date_to: '2026-01-31' },
  ]);
  await take(opened.control, id, ...eventsOf(january()));
  expect(await entriesOf(opened.control, id)).toMatchObject([
    { external_id: 'stripe:in_1:il_in_1_0', amount: '310.000000000000' },
  ]);
  expect(csvInvoice({ ...row, Total: '1.310,50', 'Date (UTC)': '1/2/26' }).faults).toHaveLength(2);
});
