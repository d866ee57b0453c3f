// What people do on the pages Reconciliation, Closes and Revenue, and what it changes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { january, postAll, postEvent, revenueOf } from '../api/D17-stripe/support.ts';
import { addInvoices } from '../api/D18-reconciliation/support.ts';
import { openChromium } from '../support/chromium.ts';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing, tokenEvent } from '../support/client.ts';
import { listCloses } from '../support/closes.ts';
import { longTest } from '../support/long-test.ts';
import { repriceDays } from '../support/reprice.ts';
import { eventsOf } from '../support/stripe.ts';
import { type Visitor, visit } from './visitor.ts';

const farthing = sharedFarthing();
let admin: Visitor;
/** Made before the page is open, which then knows them: a test goes to its own without loading the page anew. */
let projects: Record<'invoiced' | 'closed' | 'paid', Project>;

beforeAll(async () => {
  projects = {
    invoiced: await farthing.createProject(),
    closed: await farthing.createProject(),
    paid: await farthing.createProject(),
  };
  admin = await visit(await openChromium(), farthing, { as: farthing.adminToken });
});
afterAll(() => admin?.close());

const [model, provider] = ['gpt-4o-2024-08-06', 'openai'];
/** Ten days of May 2025, with dollars of input and output at the list price that differ from day to day: 63 in all. */
const spent = Array.from({ length: 10 }, (_, index) => ({
  day: `2025-05-${String(index + 1).padStart(2, '0')}`,
  input: 2 + (index % 4),
  output: 1 + ((index * 3) % 5),
}));

/** The provider charges a fifth less from 5 May on: 55.60. */
async function charge(project: Project): Promise<void> {
  await project.post(
    ...spent.map(({ day, input, output }) =>
      tokenEvent({
        ...{ model, provider, timestamp: `${day}T12:00:00Z` },
        prompt_tokens: input * 400_000,
        completion_tokens: output * 100_000,
      }),
    ),
  );
  await addInvoices(
    project,
    ...spent.map(({ day, input, output }, index): Json => {
      const amount = ((input + output) * (index < 4 ? 1 : 0.8)).toFixed(2);
      return { external_id: day, provider, model, date_from: day, date_to: day, amount };
    }),
  );
}

test('D18.2, D25: the price that explains a difference is set from the page, and after a reprice nothing differs', async () => {
  const project = projects.invoiced;
  await charge(project);
  const { window } = admin;
  const path = `/reconciliation?project=${project.id}&month=2025-05`;
  await admin.go(path);
  expect(await Promise.all(['Computed', 'Invoiced', 'Difference'].map(admin.figure))).toEqual([
    '$63.00',
    '$55.60',
    '−$7.40',
  ]);
  // Only the days that the invoices are of are compared.
  await window.getByText(/^for \d+ of 31 days, \d+ without an invoice$/).waitFor();
  await window.getByRole('button', { name: `Set this price: ${model}` }).click();
  const dialog = window.getByRole('dialog');
  await dialog.getByText('For calls of openai, from 5 May 2025').waitFor();
  await expect
    .poll(async () => (await admin.rows('Rates')).slice(0, 2))
    .toEqual([
      ['Input', '$2.50', '$2.00'],
      ['Output', '$10.00', '$8.00'],
    ]);
  expect(Object(expectStatus(await project.api('GET', '/api/prices/'), 200)).prices).toEqual([]);
  await dialog.getByRole('button', { name: 'Set this price' }).click();
  await dialog.getByText('The price is set.').waitFor();
  expect(Object(expectStatus(await project.api('GET', '/api/prices/'), 200)).prices).toMatchObject([
    { model, provider, input_per_mtok: 2, output_per_mtok: 8, effective_from: '2025-05-05' },
  ]);
  expect(await dialog.getByRole('link', { name: 'Reprice these days' }).getAttribute('href')).toContain(
    'from=2025-05-01',
  );
  await repriceDays(project, { date_from: '2025-05-01', date_to: '2025-05-31', dry_run: false });
  await window.keyboard.press('Escape');
  await admin.refresh();
  await window.getByText('The invoices agree with the calls: $55.60').waitFor();
  expect(admin.faults).toEqual([]);
});

longTest(
  'D18.1, D25: an entry of an invoice is entered by hand, its faults are named, and it is deleted again',
  async () => {
    const project = await farthing.createProject();
    const { window } = admin;
    await admin.open(`/reconciliation?project=${project.id}&month=2025-05`);
    await window.getByRole('button', { name: 'Add an entry' }).click();
    const dialog = window.getByRole('dialog');
    await dialog.getByLabel('Provider').fill('openai');
    await dialog.getByLabel('Amount, USD').fill('1.234,50');
    await dialog.getByLabel('Kind').selectOption('Usage');
    await dialog.getByLabel('Description').fill('Invoice 2025-05');
    await dialog.getByRole('button', { name: 'Add it' }).click();
    await dialog.getByRole('alert').getByText('Amount, USD', { exact: true }).waitFor();
    admin.forgetFaults();
    await dialog.getByLabel('Amount, USD').fill('1234.50');
    await dialog.getByRole('button', { name: 'Add it' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => admin.figure('Invoiced')).toBe('$1,234.50');
    const remove = window.getByRole('button', { name: 'Delete the entry Invoice 2025-05' });
    await remove.click();
    await remove.click();
    await expect.poll(() => admin.figure('Invoiced')).toBe('–');
    expect(admin.faults).toEqual([]);
  },
);

test('D19, D25: a month is closed, its drift and its figures as of then are shown, and the close is deleted', async () => {
  const project = projects.closed;
  const may = (day: number, cost: number) =>
    costEvent({ timestamp: `2025-05-0${day}T12:00:00Z`, cost, tags: { customer: 'acme', feature: 'chat' } });
  await project.post(may(2, 3));
  const { window } = admin;
  await admin.go(`/closes?project=${project.id}`);
  await window.getByText('No close yet').waitFor();
  await window.getByRole('button', { name: 'Close a month' }).click();
  const dialog = window.getByRole('dialog');
  await dialog.getByLabel('Last day, in UTC').fill('2025-05-31');
  await dialog.getByLabel('Note').fill('May, invoices in');
  await dialog.getByRole('button', { name: 'Close these days' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await window.getByText('Nothing has changed').waitFor();
  expect((await listCloses(project)).closes).toMatchObject([{ through: '2025-05-31', note: 'May, invoices in' }]);

  await project.post(may(3, 2));
  await project.totalCost();
  const gpu = {
    ...{ external_id: 'gpu', name: 'GPU', amount: 62 },
    ...{ date_from: '2025-05-01', date_to: '2025-05-31' },
  };
  await project.api('POST', '/api/shared-costs/', { entries: [{ ...gpu, allocate_by: 'calls' }] });
  await admin.refresh();
  expect(await admin.rows('Drift')).toEqual([['Late events', '+$2.00', '–', '–']]);
  await window.getByRole('button', { name: 'Customers', exact: true }).click();
  await expect.poll(() => admin.rows('Drift')).toEqual([['acme', '+$2.00', '–', '–', 'Late events']]);
  await window.getByRole('button', { name: 'Causes', exact: true }).click();
  await window.getByRole('switch', { name: 'Shared costs' }).click();
  // The two days with calls; the others' amount is nobody's.
  await expect
    .poll(() => admin.rows('Drift'))
    .toEqual([
      ['Shared costs', '+$62.00', '–', '–'],
      ['Late events', '+$2.00', '–', '–'],
    ]);
  // The close asks for its drift apart.
  await expect
    .poll(async () => (await admin.rows('Closes')).map((cells) => cells.find((cell) => cell.startsWith('+'))))
    .toEqual(['+$64.00']);
  await window.getByRole('link', { name: /^As of then: the close of/ }).click();
  await window.getByText('As of the close of 31 May 2025 · May, invoices in').waitFor();
  await expect.poll(() => admin.figure('AI cost')).toBe('$3.00');
  await window.getByRole('button', { name: 'Show the present figures' }).click();
  await expect.poll(() => admin.figure('AI cost')).toBe('$5.00');

  await window.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Closes', exact: true }).click();
  const remove = window.getByRole('button', { name: 'Delete the close of 31 May 2025' });
  await remove.click();
  expect((await listCloses(project)).closes).toHaveLength(1);
  await remove.click();
  await window.getByText('No close yet').waitFor();
  expect((await listCloses(project)).closes).toEqual([]);
  expect(admin.faults).toEqual([]);
});

test('D17, D25: Stripe is connected; revenue without a rate and of nobody known counts once the page is told', async () => {
  const project = projects.paid;
  const { window } = admin;
  await admin.go(`/revenue?project=${project.id}&from=2026-01-01&to=2026-01-31`);
  await window.getByText('Not connected yet').waitFor();
  await window.getByRole('button', { name: 'Connect Stripe' }).click();
  const dialog = window.getByRole('dialog');
  await dialog.getByLabel('Signing secret').fill('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  await dialog.getByRole('button', { name: 'Connect it' }).click();
  await dialog.getByRole('heading', { name: 'The address for Stripe' }).waitFor();
  const address = new URL(await dialog.locator('pre').innerText());
  const hook = { id: address.pathname.split('/').at(-2) ?? '', url_path: address.pathname };
  expectStatus(await postEvent(project, hook, { id: 'evt_forged' }, { by: `whsec_${'A'.repeat(32)}` }), 400);
  await postAll(project, hook, eventsOf(january({ currency: 'eur' })));

  await window.keyboard.press('Escape');
  const gaps = window.getByRole('region', { name: 'Needs a look', exact: true });
  const isTold = async () => {
    await admin.refresh();
    return await gaps.isVisible();
  };
  await expect.poll(isTold).toBe(true);
  await window.getByText(/^Refused .*signature/).waitFor();
  await gaps.getByRole('button', { name: 'Add a rate of EUR' }).click();
  expect(await dialog.getByLabel('Currency').inputValue()).toBe('EUR');
  await dialog.getByLabel('From day').fill('2025-12-31');
  await dialog.getByLabel('Value of one, USD').fill('1.1');
  await dialog.getByRole('button', { name: 'Add it' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await gaps.getByRole('button', { name: 'Name the customer of cus_1' }).click();
  await dialog.getByLabel('Customer here').fill('acme');
  await dialog.getByRole('button', { name: 'Save it' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await gaps.waitFor({ state: 'hidden' });
  expect(await revenueOf(project)).toMatchObject([{ customer: 'acme', amount: 341 }]);
  expect(admin.faults).toEqual([]);
});
