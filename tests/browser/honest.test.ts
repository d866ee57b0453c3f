// What the page says before there is revenue, a grant or an invoice, on a phone, and without the service.
import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openChromium } from '../support/chromium.ts';
import { costEvent, type Project, sharedFarthing, tokenEvent } from '../support/client.ts';
import { type Visitor, visit } from './visitor.ts';

const farthing = sharedFarthing();
let browser: Browser;
let project: Project;
let visitor: Visitor;

const now = Date.now();
/** A call reports at most 100,000. */
const costs = [0.000012, 3, 0.25, ...Array.from({ length: 11 }, () => 100_000)];
const long = `${'a'.repeat(500)}🧾${'z'.repeat(500)}`;

beforeAll(async () => {
  browser = await openChromium();
  project = await farthing.createProject();
  await project.post(
    ...costs.map((cost, index) =>
      costEvent({
        cost,
        ...(index === 2 && { elapsed_ms: 900 }),
        timestamp: new Date(now - (index + 1) * 60_000).toISOString(),
        tags: { customer: [long, 'acme', 'acme'][index] ?? '', user: 'ann', feature: 'chat' },
      }),
    ),
  );
  visitor = await visit(browser, farthing, { as: project.apiKey });
});
afterAll(() => visitor?.close());

const textOf = async (region: string) =>
  await visitor.window.getByRole('region', { name: region, exact: true }).first().innerText();

test('D25: before there is revenue, credits or an invoice, the page says so, and nobody is unprofitable', async () => {
  const { window } = visitor;
  await visitor.open('/?range=7d');
  expect(await visitor.figure('AI cost')).toBe('$1.10M');
  expect(await window.locator('[data-figure="AI cost"] [title]').getAttribute('title')).toBe('$1,100,003.250012');
  expect(await visitor.figure('Gross margin')).toBe('–');
  expect(await textOf('Revenue')).toContain('Add revenue');
  expect(await window.getByText(/unprofitable/).count()).toBe(0);
  // Nothing before the first call is compared.
  expect(await textOf('What changed the cost most')).toContain('No days before these have calls.');
  await window.getByRole('region', { name: 'Revenue', exact: true }).getByRole('link', { name: 'Add revenue' }).click();
  await window.getByRole('heading', { name: 'Revenue', level: 1 }).waitFor();

  await visitor.go('/customers?range=7d&sort=-cost');
  const rows = await visitor.rows('Margin by customer');
  // One precision, in a column that has more than a million dollars.
  expect(rows.map((cells) => [cells[0], cells[2], ...cells.slice(4, 6)])).toEqual([
    ['not attributed', '$1,100,000.00', '–', '–'],
    ['acme', '$3.25', '–', '–'],
    [`${long}\n${'a'.repeat(23)}…\n${'z'.repeat(8)}`, '<$0.01', '–', '–'],
  ]);
  expect(await window.getByTitle(long).first().isVisible()).toBe(true);
  // A name that the browser cuts too would have a gap before its end.
  const isWhole = (part: { readonly scrollWidth: number; readonly clientWidth: number }) =>
    part.scrollWidth <= part.clientWidth;
  expect(await window.getByTitle(long).locator('.text-ellipsis').first().evaluate(isWhole)).toBe(true);
  await window.getByRole('link', { name: /^No revenue on these days/ }).waitFor();
  await window.getByRole('searchbox', { name: 'Filter the rows' }).fill('ACM');
  await expect.poll(async () => (await visitor.rows('Margin by customer')).map(([name]) => name)).toEqual(['acme']);
  expect(new URL(window.url()).searchParams.get('q')).toBe('ACM');

  // What was typed stays behind: a table of the next page would hide its rows.
  await window.getByRole('link', { name: 'acme', exact: true }).first().click();
  await window.getByRole('heading', { name: 'acme', level: 1 }).waitFor();
  expect(new URL(window.url()).search).toBe('?range=7d');
  await expect.poll(() => window.title()).toBe('acme · Farthing');
  expect(await visitor.figure('Status')).toBe('–');

  await visitor.go('/credits');
  await window.getByText('No grant yet').waitFor();
  expect(await window.getByText('Margin with credits').count()).toBe(0);
  expect(visitor.faults).toEqual([]);
});

test('D25: calls sort by cost, tokens and time, with their count; on a phone cost stands beside the time, and choices fold away', async () => {
  const { window } = visitor;
  await window.setViewportSize({ width: 390, height: 844 });
  await visitor.go('/calls?range=7d');
  const table = window.getByRole('region', { name: 'Calls', exact: true });
  const shown = async () => (await visitor.rows('Calls')).map((cells) => cells[1]);
  expect((await shown()).slice(0, 4)).toEqual(['<$0.01', '$3.00', '$0.25', '$100,000.00']);
  await table.getByRole('button', { name: 'Cost', exact: true }).click();
  await expect.poll(async () => (await shown()).slice(10)).toEqual(['$100,000.00', '$3.00', '$0.25', '<$0.01']);
  expect(new URL(window.url()).searchParams.get('order')).toBe('dearest');
  expect(await window.getByText('14', { exact: true }).first().isVisible()).toBe(true);
  // Their sum leads to the overview, which has the same.
  const sum = await window.getByRole('heading', { level: 2 }).getByRole('link').innerText();
  expect(sum).toBe('$1.10M');
  await table.getByRole('button', { name: 'Duration' }).click();
  await expect.poll(async () => (await shown())[0]).toBe('$0.25');
  await window.getByRole('searchbox', { name: 'Filter the rows' }).fill('ACM');
  await expect.poll(shown).toEqual(['$0.25', '$3.00']);
  expect(await window.getByRole('button', { name: 'Filter' }).isVisible()).toBe(false);
  await window.getByRole('button', { name: 'More choices' }).click();
  expect(await window.getByRole('button', { name: 'Filter' }).isVisible()).toBe(true);
  await visitor.go('/live');
  await expect
    .poll(async () => new Set((await visitor.rows('Events')).map((cells) => cells[2])))
    .toEqual(new Set(['<$0.01', '$0.25', '$3.00', '$100,000.00']));
  await window.setViewportSize({ width: 1_440, height: 900 });
  await visitor.go('/calls?range=7d');
  await window.getByRole('heading', { level: 2 }).getByRole('link', { name: sum }).click();
  await window.locator('[data-figure="AI cost"]').waitFor();
  await expect.poll(() => visitor.figure('AI cost')).toBe(sum);
  expect(visitor.faults).toEqual([]);
});

test('D25: an unknown address is a page, settings say why they are fixed, and pages not visited wait for the service', async () => {
  const { window } = visitor;
  // Users have pages in internal projects alone.
  for (const path of ['/nowhere', '/users/ann']) {
    await window.goto(path);
    await window.getByRole('heading', { name: 'There is no such page', level: 1 }).waitFor();
  }
  visitor.forgetFaults();
  await window.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click();
  await window.getByText('Only owners of the project and the admin token can change these').waitFor();
  expect(await window.getByRole('group', { name: 'Money' }).getByRole('link').allInnerTexts()).toEqual([
    'Revenue',
    'Plans',
    'Prices',
    'Credits',
    'Shared costs',
    'Reconciliation',
    'Closes',
    'Report',
  ]);
  await visitor.go('/revenue?range=7d');
  // One answer that is late is not all that the page shows.
  await window.route('**/api/next-steps/', () => undefined);
  await window.evaluate("history.pushState(null, '', '/?range=7d&every=week')");
  const ranking = window.getByRole('region', { name: 'Customers, by cost' }).last();
  await ranking.getByText('acme').waitFor();
  // Somebody has to have seen it.
  await window.waitForTimeout(600);
  await visitor.context.setOffline(true);
  await window.getByRole('link', { name: 'Budgets' }).click();
  await window.getByText('No answer from the service.').waitFor();
  await window.evaluate("history.pushState(null, '', '/?range=7d&every=week')");
  await ranking.getByText('acme').waitFor();
  // Of a page whose script is there, all that waits says so; one that was visited is whole.
  await window.evaluate("history.pushState(null, '', '/revenue?range=12m')");
  await window.getByRole('heading', { name: 'Revenue', level: 1 }).waitFor();
  await window.getByText('This opens as soon as the service answers').waitFor();
  expect(await window.locator('.animate-pulse').count()).toBe(0);
  await window.getByRole('link', { name: 'Budgets' }).click();
  await visitor.context.setOffline(false);
  await window.unroute('**/api/next-steps/');
  await window.getByRole('heading', { name: 'Budgets', level: 1 }).waitFor();
  visitor.forgetFaults();

  const first = await visit(browser, farthing, { as: (await farthing.createProject()).apiKey });
  await first.open('/');
  await first.window.getByText('What did every AI call cost, and did it pay?').waitFor();
  await first.window.getByRole('figure').getByText('1 customer unprofitable').waitFor();
  await first.window.getByText('first-start.txt').waitFor();
  await first.window.getByText('waiting for the first event…').waitFor();
  expect(first.faults).toEqual([]);
  await first.close();
});

test('D25: a next step, an old event of Live, models, unit prices and shared costs say what their pages do', async () => {
  const young = await farthing.createProject();
  const day = new Date(now - 9 * 86_400_000).toISOString().slice(0, 10);
  const event = (model: string, tokens: number, tags: object = { customer: 'acme' }) =>
    tokenEvent({ model, timestamp: `${day}T10:00:00Z`, prompt_tokens: tokens, tags });
  const models = ['gpt-4o', 'gpt-4o-mini', 'gpt-5-nano'].map((model) => event(model, 2_000_000));
  const house = event('house-llm', 1_000_000, { customer: 'חנות 7', feature: 'house' });
  // A failed call without usage costs nothing, which says nothing of the others.
  const { model, timestamp, tags } = house;
  await young.post(...models, house, tokenEvent({ event_type: 'llm.error', model, timestamp, tags }));
  const paid = ['acme', 'חנות 7'].map((customer) => ({ external_id: customer, customer, amount: 1, date_from: day }));
  expect((await young.api('POST', '/api/revenue/', { entries: paid })).status).toBe(200);
  const entry = { external_id: 'gpu', name: 'GPU', amount: 60, allocate_by: 'tokens', date_from: day, date_to: day };
  expect((await young.api('POST', '/api/shared-costs/', { entries: [entry] })).status).toBe(201);
  const ofYoung = await visit(browser, farthing, { as: young.apiKey });
  const { window } = ofYoung;

  await ofYoung.open('/live');
  // What has no price is no $0.
  const unpriced = async (name: string, cost: number, model: number) =>
    (await ofYoung.rows(name)).filter((cells) => cells.at(cost) === '–').map((cells) => cells[model]?.split(/\s/)[0]);
  await expect.poll(() => unpriced('Events', 2, 3)).toEqual(['house-llm']);
  await ofYoung.go(`/models?from=${day}&to=${day}`);
  await expect.poll(() => unpriced('models', 1, 0)).toEqual(['house-llm']);
  await window.getByTitle('No price: these calls count as $0').first().waitFor();
  // Nor is a time that no call says 0 ms.
  const heads = await window.getByRole('columnheader').allInnerTexts();
  const times = (await ofYoung.rows('models')).map((cells) => cells[heads.indexOf('Latency')]);
  expect(new Set(times)).toEqual(new Set(['–']));
  await ofYoung.go(`/features?from=${day}&to=${day}`);
  await expect.poll(() => unpriced('features', 1, 0)).toEqual(['house']);
  // Nor is a customer healthy whose cost nobody knows; the others are judged as the API does.
  await ofYoung.go(`/customers?from=${day}&to=${day}&compare=false`);
  const judged = async () =>
    (await ofYoung.rows('Margin by customer')).map((cells) => [...cells.slice(0, 3), cells[5]]);
  await expect.poll(judged).toEqual([
    ['acme', '$1.00', '$5.40', 'unprofitable'],
    ['חנות 7', '$1.00', '–', 'no price'],
  ]);
  expect(await window.locator('bdi', { hasText: 'חנות 7' }).count()).toBe(1);
  await ofYoung.go(`/customers/${encodeURIComponent('חנות 7')}?from=${day}&to=${day}`);
  await expect.poll(() => ofYoung.figure('Status')).toBe('no price');
  await window.getByText('none of its calls has a price').waitFor();
  await ofYoung.go(`/?from=${day}&to=${day}`);
  await window.getByText('1 customer unprofitable').waitFor();
  await ofYoung.go(`/models?by=provider&from=${day}&to=${day}`);
  await expect.poll(() => unpriced('providers', 1, 0)).toEqual(['not']);

  const swap = encodeURIComponent('{"gpt-4o":"gpt-4o-mini"}');
  await ofYoung.go(`/what-if?from=${day}&to=${day}&swap=${swap}`);
  for (const column of [1, 2]) await expect.poll(() => unpriced('What if, by model', column, 0)).toEqual(['house-llm']);

  for (const [at, other] of [
    ['/waste', 'add'],
    ['/what-if', 'assume'],
  ] as const) {
    await ofYoung.go(`${at}?swap=${encodeURIComponent('{"gpt-4o":"nonsense-9"}')}&from=${day}&to=${day}`);
    const refused = await window.getByRole('alert').innerText();
    expect(refused.split('\n')[0]).toBe(`nonsense-9 has no price. Choose a model with a price, or ${other} one.`);
    expect(refused).not.toContain('gpt-4o');
  }
  ofYoung.forgetFaults();

  // Nor in a month without an invoice, which is −100 % of nothing.
  await ofYoung.go(`/reconciliation?month=${day.slice(0, 7)}&reconciled=model`);
  await expect.poll(() => unpriced('Reconciliation by model', 1, 0)).toEqual(['house-llm']);
  expect(await window.getByText('100.0%').count()).toBe(0);
  const month = day.slice(0, 7);
  const invoice = { external_id: 'x', provider: 'openai', date_from: `${month}-01`, date_to: day, amount: 5.3961 };
  expect((await young.api('POST', '/api/invoices/', { entries: [{ ...invoice, kind: 'usage' }] })).status).toBe(201);
  await ofYoung.go(`/reconciliation?month=${month}`);
  await ofYoung.refresh();
  // What the invoice rounds has no more digits than what it charges.
  await expect
    .poll(async () =>
      (await ofYoung.rows('Reconciliation by provider')).find(([name]) => name === 'openai')?.slice(1, 4),
    )
    .toEqual(['$5.40', '$5.40', '−<$0.01']);
  await ofYoung.go(`/reconciliation?month=${month}&reconciled=model&of=house-llm`);
  await window.getByText('No call has a price here, and no invoice charges for one.').waitFor();

  // A name without a call on these days is no page of zeros: it says which days have some, or that none has.
  await ofYoung.go('/customers/acme?range=7d');
  await window.getByText('No call of the customer acme on these days').waitFor();
  await window.getByRole('link', { name: 'Show these days' }).click();
  await window.waitForURL((url) => url.searchParams.get('from') === day && url.searchParams.get('to') === day);
  await expect.poll(() => ofYoung.figure('Revenue')).toBe('$1.00');
  await ofYoung.go(`/customers/nobody?from=${day}&to=${day}`);
  await window.getByText('No call has ever had this name').waitFor();
  expect(await window.locator('[data-figure]').count()).toBe(0);
  await ofYoung.go(`/?from=${day}&to=${day}&features=${encodeURIComponent('["nothing"]')}`);
  await window.getByText('No call of the feature nothing on these days').waitFor();

  await ofYoung.go('/');
  const step = window.getByRole('region', { name: 'Next steps' }).locator('li').filter({ hasText: 'No price' });
  const [shown = ''] = /^\$[\d.]+$/m.exec(await step.innerText()) ?? [];
  expect(shown).not.toBe('');
  await step.getByRole('link', { name: 'Show prices' }).click();
  await window.getByRole('heading', { name: 'Prices', level: 1 }).waitFor();
  await window.getByRole('region', { name: 'Next steps' }).getByText(shown).last().waitFor();
  const decimals = async (column: number) =>
    new Set((await ofYoung.rows('Models seen')).flatMap((cells) => cells[column]?.split('.')[1]?.length ?? []));
  for (const column of [2, 3, 4]) await expect.poll(() => decimals(column)).toHaveProperty('size', 1);

  await ofYoung.go(`/shared-costs?from=${day}&to=${day}`);
  const allocated = window.getByRole('region', { name: 'Shared costs, table' }).getByRole('link', { name: '$60.00' });
  const door = (await allocated.getAttribute('href')) ?? '';
  expect(door).toMatch(new RegExp(`^/calls\\?from=${day}&to=${day}`));
  expect(door).not.toMatch(/customers|users|features|models|providers|tags|waste/);
  expect(ofYoung.faults).toEqual([]);
  await ofYoung.close();
});

test('D8.2: more was paid back than was paid: the overview says the margin that the API says', async () => {
  const refund = {
    external_id: 'refund',
    customer: 'acme',
    amount: -0.0001,
    date_from: new Date(now).toISOString().slice(0, 10),
  };
  expect((await project.api('POST', '/api/revenue/', { entries: [refund] })).status).toBe(200);
  await visitor.go('/?range=7d');
  await visitor.refresh();
  const ranking = visitor.window.getByRole('region', { name: 'Customers, by cost' }).last();
  await expect.poll(async () => await ranking.innerText()).toMatch(/acme\s+−\$0.00010\s+\$3.25\s+−\$3.25\s+−100.0%/);
  await expect.poll(() => visitor.figure('Gross margin')).toBe('−100.0%');
  expect(visitor.faults).toEqual([]);
});

test('D25: revenue is not compared with days before there was any, a change says its amounts and days, and Live a cost once', async () => {
  const shop = await farthing.createProject();
  const day = (before: number) => new Date(now - before * 86_400_000).toISOString().slice(0, 10);
  await shop.post(...[80, 38, 3].map((days) => costEvent({ cost: 1, timestamp: `${day(days)}T12:00:00Z` })));
  const entry = { external_id: 'plan', customer: 'acme', amount: 410, date_from: day(40), date_to: day(0) };
  expect((await shop.api('POST', '/api/revenue/', { entries: [entry] })).status).toBe(200);
  const ofShop = await visit(browser, farthing, { as: shop.apiKey });
  await ofShop.open('/?range=28d');
  const card = ofShop.window.getByRole('region', { name: 'Revenue', exact: true }).first();
  // Of the days before only the last earned, as much a day as now.
  await expect.poll(() => card.innerText()).toMatch(/±0% vs .*, against /s);
  expect(await card.getByTitle(/^(\$\d+\.00) on .*, \1 on /).count()).toBe(1);
  await ofShop.go(`/?from=${day(0)}&to=${day(0)}`);
  await expect.poll(() => card.innerText()).toContain('of the whole day, which is not over');
  const pair = { event_id: randomUUID(), model: 'gpt-4o', tags: { feature: 'pair' } };
  await shop.post(tokenEvent({ ...pair, event_type: 'llm.before', timestamp: new Date(now).toISOString() }), {
    ...pair,
    event_type: 'llm.after',
    prompt_tokens: 1_000_000,
    model: undefined,
    tags: undefined,
  });
  await ofShop.go('/live');
  // The cost of a call once, however many events it has, and its names beside each.
  await expect
    .poll(async () => (await ofShop.rows('Events')).slice(0, 2).map((cells) => cells.slice(1, 6)))
    .toEqual([
      ['llm.after', '$2.50', 'gpt-4o', '–', 'pair'],
      ['llm.before', '–', 'gpt-4o', '–', 'pair'],
    ]);
  expect(ofShop.faults).toEqual([]);
  await ofShop.close();
});
