// What people ask of the page before they decide: what is wasted, what if, what becomes of margins, what to do next.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { toCount, toDollars, toMarginPct, toShare, toSigned } from '../../dashboard/src/lib/format.ts';
import { fromService } from '../../dashboard/src/lib/from-service.ts';
import { toCents, toPrice } from '../../dashboard/src/plans/sheet.ts';
import { countSoFar } from '../../dashboard/src/state/pace.ts';
import { countWasted, rankCauses, toMonthly, toWastedWords, wasteLabels } from '../../dashboard/src/waste/causes.ts';
import { openChromium } from '../support/chromium.ts';
import { sharedFarthing } from '../support/client.ts';
import { longTest } from '../support/long-test.ts';
import { type DemoProject, shareDemoProject } from './demo-project.ts';
import { type Visitor, visit } from './visitor.ts';

const farthing = sharedFarthing();
let browser: Browser;
let demo: DemoProject;
let visitor: Visitor;
/** With a key that may change the project. */
let writer: Visitor;

const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
const [from, to] = [dayOf(7), dayOf(1)];
const range = `from=${from}&to=${to}`;

beforeAll(async () => {
  [browser, demo] = await Promise.all([openChromium(), shareDemoProject(farthing)]);
  // All that is asked here may be asked by a key that only reads.
  visitor = await visit(browser, farthing, { as: demo.readOnlyKey });
  writer = await visit(browser, farthing, { as: demo.key });
});
afterAll(() => Promise.all([visitor?.close(), writer?.close()]));

const wasteAnswer = z.object({
  total_cost: z.number(),
  calls: z.number(),
  wasted: z.number(),
  share: z.number(),
  rows: z.array(
    z.object({
      cause: z.enum(['failed', 'retried', 'aborted', 'uncached_input', 'dearer_model']),
      bound: z.enum(['exact', 'upper']),
      calls: z.number(),
      amount: z.number(),
      share: z.number(),
    }),
  ),
});

test('D23, D25: the page shows what the API calls wasted, and leads from a cause to just its calls', async () => {
  const alternatives = { 'gpt-4o': 'gpt-5-mini' };
  const { window } = visitor;
  await visitor.go(`/waste?${range}`);
  await window.getByLabel('Instead of the model').fill('gpt-4o');
  await window.getByLabel('use', { exact: true }).fill('gpt-5-mini');
  await window.getByRole('button', { name: 'Compare' }).click();
  await window.getByRole('heading', { name: wasteLabels.dearer_model, level: 3 }).waitFor();
  const waste = wasteAnswer.parse(
    await demo.ask('POST', '/api/waste/', { date_from: from, date_to: to, alternatives }),
  );
  expect(await Promise.all(['Wasted', 'In a month', 'Of all AI cost', 'Wasted calls'].map(visitor.figure))).toEqual([
    toDollars(waste.wasted),
    toDollars(toMonthly(waste.wasted, countSoFar({ from, to }, 'UTC'))),
    toShare(waste.share),
    toCount(countWasted(waste, ['exact'])),
  ]);
  const listed = window.getByRole('region', { name: 'Waste by cause' }).locator('li');
  expect(await listed.count()).toBe(waste.rows.length);
  for (const [index, row] of rankCauses(waste.rows).entries()) {
    const text = await listed.nth(index).innerText();
    expect(text).toContain(wasteLabels[row.cause]);
    expect(text).toContain(toWastedWords(row));
    expect(text).toContain(`${toCount(row.calls)}\u00a0${row.calls === 1 ? 'call' : 'calls'}`);
  }

  const wasted = await window.locator('[data-figure="Wasted calls"] a').getAttribute('href');
  expect(wasted).toMatch(/^\/calls\?/);
  const search = Object.fromEntries(new URL(wasted ?? '', farthing.url).searchParams);
  expect(search).toMatchObject({ from, to, order: 'dearest' });

  const dearer = waste.rows.find(({ cause }) => cause === 'dearer_model');
  expect(dearer?.calls).toBeGreaterThan(0);
  await window.getByRole('link', { name: `Show the calls: ${wasteLabels.dearer_model}` }).click();
  await window.getByText(`Waste: ${wasteLabels.dearer_model}`).waitFor();
  if (dearer) await window.getByText(`${toCount(dearer.calls)} · ${toWastedWords(dearer)}`, { exact: true }).waitFor();
  expect(await visitor.download('CSV')).toHaveLength(dearer?.calls ?? 0);
  expect(visitor.faults).toEqual([]);
});

test('D25: the palette leads to a customer by the keyboard alone, and what would change its margin leads on', async () => {
  const { window } = visitor;
  await visitor.go(`/waste?${range}`);
  const field = window.getByRole('combobox', { name: /^Go to/ });
  await window.keyboard.press('Control+k');
  await field.waitFor();
  await window.keyboard.type('harb');
  const option = window.getByRole('option', { name: 'Blue Harbour', selected: true });
  await option.waitFor();
  expect(await field.getAttribute('aria-activedescendant')).toBe(await option.getAttribute('id'));
  await window.keyboard.press('Enter');
  await window.getByRole('heading', { name: 'Blue Harbour', level: 1 }).waitFor();
  await window
    .getByRole('region', { name: 'What would change it' })
    .getByRole('link', { name: /another model/ })
    .click();
  await window.getByRole('heading', { name: 'What if', level: 1 }).waitFor();
  // The dearest model is there already.
  const model = (await window.getByLabel('Instead of the model').inputValue()).trim();
  expect(JSON.parse(new URL(window.url()).searchParams.get('models') ?? '')).toEqual([model]);
  await window.keyboard.press('Control+k');
  await field.waitFor();
  await window.keyboard.type('nothing of that name');
  await window.getByText('Nothing found.').waitFor();
  await window.keyboard.press('Escape');
  expect(await field.count()).toBe(0);
  expect(visitor.faults).toEqual([]);
});

const answered = z.object({
  state: z.string(),
  before: z.number().nullable(),
  after: z.number().nullable(),
  assume: z.unknown(),
  by_customer: z.array(
    z.object({ customer: z.string(), before: z.number(), after: z.number(), margin_after: z.number().nullable() }),
  ),
});

/** The page opens with what would cost less, as the API says; one click shows it in full. */
async function expectOffers(): Promise<void> {
  const { window } = visitor;
  const assume = { models: { 'claude-sonnet-4-5': 'claude-haiku-4-5' } };
  const offers = window.getByRole('region', { name: 'What would cost less' });
  const saved = (await offers.getByText(/less$/).allInnerTexts()).filter((text) => /^\$[\d.]+ less$/.test(text));
  expect(saved.length).toBeGreaterThan(4);
  expect(saved.map((text) => Number(text.slice(1, -5)))).toEqual(
    saved.map((text) => Number(text.slice(1, -5))).toSorted((a, b) => b - a),
  );
  await offers.getByRole('button', { name: 'Try it: claude-sonnet-4-5 → claude-haiku-4-5' }).click();
  await window.getByText('with claude-haiku-4-5 instead of claude-sonnet-4-5').waitFor();
  const id = new URL(window.url()).searchParams.get('asked') ?? '';
  const answer = answered.parse(await demo.ask('GET', `/api/prices/reprices/${id}/`));
  expect(answer.assume).toEqual(assume);
  await expect.poll(() => visitor.figure('New cost')).toBe(toDollars(answer.after ?? 0));
  expect(saved).toContain(`${toDollars((answer.before ?? 0) - (answer.after ?? 0))} less`);
}

test('D22, D25: what if is asked with other models and more cached input, and its link shows the same to somebody else', async () => {
  const { window } = visitor;
  await visitor.go(`/what-if?${range}`);
  await expectOffers();
  expect((await window.getByLabel('Instead of the model').inputValue()).trim()).toBe('claude-sonnet-4-5');
  await window.getByLabel('use', { exact: true }).fill('gpt-5-mini');
  await window.getByLabel('Cached share of the input, %').fill('29');
  await window.getByText('with gpt-5-mini instead of claude-sonnet-4-5; 29.0% of the input cached').waitFor();
  const id = new URL(window.url()).searchParams.get('asked') ?? '';
  const answer = answered.parse(await demo.ask('GET', `/api/prices/reprices/${id}/`));
  expect(answer.assume).toEqual({ models: { 'claude-sonnet-4-5': 'gpt-5-mini' }, cached_share: 0.29 });
  const [before, after] = [answer.before ?? 0, answer.after ?? 0];
  expect(after).toBeLessThan(before);
  const figures = [
    toDollars(before),
    toDollars(after),
    toSigned(toMonthly(after - before, countSoFar({ from, to }, 'UTC'))),
  ];
  const readFigures = async ({ figure }: Visitor) => await Promise.all(['Cost', 'New cost', 'In a month'].map(figure));
  expect(await readFigures(visitor)).toEqual(figures);
  const largest = answer.by_customer.toSorted((a, b) => a.after - a.before - (b.after - b.before));
  expect((await visitor.rows('What if, by customer')).map(([name, , , difference]) => [name, difference])).toEqual(
    largest.map(({ customer, before: was, after: is }) => [
      customer || 'not attributed',
      is === was ? '–' : toSigned(is - was),
    ]),
  );

  await writer.open(window.url());
  expect(await readFigures(writer)).toEqual(figures);
  expect(await writer.window.getByLabel('use', { exact: true }).inputValue()).toBe('gpt-5-mini');
  expect([...visitor.faults, ...writer.faults]).toEqual([]);
});

const simulated = z.object({
  plans: z.array(
    z.object({
      ...{ name: z.string(), customers: z.number(), revenue: z.number(), simulated_revenue: z.number() },
      ...{ pay_more: z.number(), pay_less: z.number(), simulated_below_zero: z.number() },
      target_base: z.object({ base_per_month: z.number().nullable(), reason: z.null() }),
      rows: z.array(z.object({ customer: z.string(), revenue: z.number(), simulated_revenue: z.number() })),
    }),
  ),
});

test('D29: a click leads from the overview to what plans need; prices are moved, saved, and opened by a link', async () => {
  const { window } = writer;
  const [first, target] = [dayOf(90), 40];
  const ask = async (base_per_month: number, fields: object = {}) => {
    const customers = { customer_tags: { plan: ['starter'] } };
    const plans = [{ name: 'starter', customers, base_per_month, ...fields }];
    const body = { date_from: first, date_to: dayOf(0), target_margin_pct: target, plans };
    const [plan] = simulated.parse(await demo.ask('POST', '/api/plans/simulate/', body)).plans;
    if (!plan) throw new Error('the plan was asked');
    return plan;
  };
  await writer.go('/');
  await window.getByRole('link', { name: 'What should plans cost?' }).click();
  const card = window.getByRole('region', { name: 'Plan: starter' });
  const now = await ask(1);
  const price = toPrice(now.target_base.base_per_month ?? 0);
  await card.getByText(`starter needs ${price} a month for a margin of 40.0%`).waitFor();
  const spent = await card.locator('p').last().getByRole('link').first().getAttribute('href');
  expect(decodeURIComponent(spent ?? '')).toMatch(/^\/calls\?(?=.*ctags=\{"plan":\["starter"\]\})(?=.*features=\[".)/);

  await card.getByRole('button', { name: 'Try prices' }).click();
  await window.getByLabel('Base a month, USD', { exact: true }).fill('34');
  await window.getByLabel('Charge usage by').selectOption('calls');
  await window.getByLabel('Included a month, calls').fill('5');
  await window.getByLabel('One more, USD').fill('0.005');
  const charged = { included: { unit: 'calls', amount: 5 }, overage: { unit: 'calls', price: 0.005 } };
  const moved = await ask(34, charged);
  const figures = [toDollars(moved.simulated_revenue), toCount(moved.pay_more), toCount(moved.simulated_below_zero)];
  const labels = ['Would have earned', 'Would pay more', 'Below zero'];
  const readFigures = async ({ figure }: Visitor) => await Promise.all(labels.map(figure));
  await expect.poll(() => readFigures(writer), { timeout: 60_000 }).toEqual(figures);
  const dearest = moved.rows.toSorted((a, b) => b.simulated_revenue - b.revenue - (a.simulated_revenue - a.revenue));
  expect((await writer.rows('Who would pay what')).map(([name]) => name)).toEqual(
    dearest.map(({ customer }) => customer),
  );

  await window.getByRole('button', { name: 'Save this simulation' }).click();
  await window.getByLabel('Name').fill('Dearer starter');
  await window.getByRole('button', { name: 'Save', exact: true }).click();
  await window.getByRole('link', { name: 'Dearer starter' }).waitFor();
  // Whoever only reads opens it too.
  await visitor.go(`/plans?range=7d&sheet=${encodeURIComponent(JSON.stringify({ saved: 'Dearer starter' }))}`);
  await expect.poll(() => readFigures(visitor), { timeout: 60_000 }).toEqual(figures);
  expect(await visitor.window.getByRole('button', { name: 'Save this simulation' }).count()).toBe(0);
  await visitor.window.getByRole('button', { name: 'Use this base' }).click();
  const needed = await ask(34, charged);
  const base = toCents(needed.target_base.base_per_month ?? 0);
  expect(await visitor.window.getByLabel('Base a month, USD', { exact: true }).inputValue()).toBe(String(base));
  await expect.poll(() => visitor.figure('New margin'), { timeout: 60_000 }).toBe('40.0%');
  // What it closes had the focus.
  await window.getByRole('button', { name: 'Close', exact: true }).press('Enter');
  await expect.poll(() => window.getByRole('region', { name: 'What should it cost?' }).count()).toBe(0);
  expect(await window.evaluate('document.activeElement.id')).toBe('page');
  await card.waitFor();
  expect([...writer.faults, ...visitor.faults]).toEqual([]);
});

const steps = z.object({
  steps: z.array(z.object({ subject: z.string(), amount: z.number(), reason: z.string(), link: z.string() })),
});

longTest('D25: the next steps are those of the API, and each leads to its numbers', async () => {
  const { window } = visitor;
  const answer = steps.parse(await demo.ask('GET', '/api/next-steps/'));
  expect(answer.steps.length).toBeGreaterThan(0);
  await visitor.open('/');
  const listed = window.getByRole('region', { name: 'Next steps' }).locator('li');
  const shown = await Promise.all((await listed.all()).map(async (step) => await step.innerText()));
  expect(shown).toHaveLength(answer.steps.length);
  for (const [index, { amount, reason }] of answer.steps.entries()) {
    expect(shown[index]).toContain(toDollars(amount));
    expect(shown[index]).toContain(fromService(reason));
  }
  const swaps = answer.steps.filter(({ subject }) => subject.includes(' → '));
  expect(swaps.length).toBeGreaterThan(0);
  for (const { subject, link } of swaps) {
    const asked = listed.filter({ hasText: subject }).getByRole('link', { name: 'What if' });
    expect(await asked.getAttribute('href')).toContain(link.replace('/waste', '/what-if'));
  }
  const [first] = answer.steps;
  await listed.first().getByRole('link', { name: /^Show/ }).click();
  await window.waitForURL((url) => `${url.pathname}${url.search}` !== '/');
  const [path, query] = (first?.link ?? '').split('?');
  const url = new URL(window.url());
  expect(url.pathname).toBe(path);
  for (const [name, value] of new URLSearchParams(query))
    expect([name, url.searchParams.get(name)]).toEqual([name, value]);
  expect(visitor.faults).toEqual([]);
});

const margin = z.object({ revenue: z.number(), margin: z.number(), margin_pct: z.number() });
const cliff = z.object({
  customers: z.array(z.object({ customer: z.string(), turns: z.boolean(), now: margin, after: margin })),
});

longTest('D25: Credits shows the margin of each customer now and after the end of the credits', async () => {
  const answer = cliff.parse(await demo.ask('GET', `/api/credit-cliff/?date_from=${from}&date_to=${to}`));
  await visitor.go(`/credits?${range}`);
  const rows = await visitor.rows('When the credits end');
  expect(rows.map(([name, , now, nowPct, after, afterPct]) => [name, now, nowPct, after, afterPct])).toEqual(
    answer.customers.map((row) => [
      row.customer || 'not attributed',
      toDollars(row.now.margin),
      toMarginPct(row.now),
      toDollars(row.after.margin),
      toMarginPct(row.after),
    ]),
  );
  expect(visitor.faults).toEqual([]);
});

longTest(
  'D25: a report is printed on sheets of A4, light in dark mode too, without navigation and buttons',
  async () => {
    const { window } = visitor;
    await visitor.open(`/report?${range}`);
    await window.emulateMedia({ colorScheme: 'dark', media: 'print' });
    const report = window.getByRole('article', { name: 'Report' });
    const background = "getComputedStyle(document.querySelector('article')).backgroundColor";
    expect(await window.evaluate(background)).toBe('rgb(255, 255, 255)');
    expect(await window.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(false);
    expect(await report.getByRole('button').filter({ visible: true }).count()).toBe(0);
    // A chart that is wider than its card is cut on paper.
    const widths = await window.evaluate<number[]>(
      `[...document.querySelectorAll('article canvas')].map(
      (chart) => chart.getBoundingClientRect().right - chart.closest('section').getBoundingClientRect().right,
    )`,
    );
    expect(widths.length).toBeGreaterThan(1);
    expect(widths.every((over) => over <= 0)).toBe(true);
    const pdf = (await window.pdf({ preferCSSPageSize: true, printBackground: true })).toString('latin1');
    expect(pdf).toMatch(/\/MediaBox \[0 0 59[45][\d.]* 84[12][\d.]*\]/);
    await window.emulateMedia({ colorScheme: 'light', media: null });
    expect(visitor.faults).toEqual([]);
  },
);

longTest('D25: charts and tables are whole on sheets of paper that lie', async () => {
  const printer = await visit(browser, farthing, { as: demo.readOnlyKey });
  const { window, context } = printer;
  // What is printed is laid out anew, but charts are not drawn anew.
  await context.addInitScript('window.ResizeObserver = class { observe() {} unobserve() {} disconnect() {} }');
  for (const [path, table] of [
    ['/models', 'models'],
    ['/calls', 'Calls'],
    ['/credits', 'When the credits end'],
  ] as const) {
    await window.setViewportSize({ width: 1_440, height: 900 });
    await window.emulateMedia({ media: null });
    await printer.open(`${path}?${range}`);
    await printer.rows(table);
    const pdf = (await window.pdf({ preferCSSPageSize: true })).toString('latin1');
    const sheets = pdf.match(/\/MediaBox \[[^\]]*\]/g) ?? [];
    expect(new Set(sheets), path).toEqual(new Set(['/MediaBox [0 0 792 612]']));
    await window.emulateMedia({ media: 'print' });
    // A lying letter without its margins.
    await window.setViewportSize({ width: 980, height: 740 });
    const beyond = (await window.evaluate(`[...document.querySelectorAll('main table, main canvas')].map((part) =>
      Math.round(part.getBoundingClientRect().right - part.closest('section').getBoundingClientRect().right))`)) as number[];
    expect(beyond.length, path).toBeGreaterThan(0);
    expect(Math.max(...beyond), path).toBeLessThanOrEqual(0);
    // Rows that are not in the document are said, and take no room.
    if (path !== '/calls') continue;
    const gap = window.getByText(/^\d+ more rows?, which the CSV has$/);
    expect((await gap.boundingBox())?.height).toBeLessThan(60);
  }
  // What is chosen is on paper, and no field that is empty, nor what only leads elsewhere.
  await window.emulateMedia({ media: null });
  await printer.open(`/what-if?${range}&swap=${encodeURIComponent('{"gpt-4o":"gpt-5-mini"}')}`);
  await window.emulateMedia({ media: 'print' });
  expect(await window.getByLabel('Instead of the model').isVisible()).toBe(true);
  for (const hidden of ['Cached share of the input, %', 'Input, USD per million tokens'])
    expect(await window.getByText(hidden).filter({ visible: true }).count(), hidden).toBe(0);
  await window.emulateMedia({ media: null });
  await printer.open(`/waste?${range}`);
  await window.emulateMedia({ media: 'print' });
  expect(
    await window
      .getByRole('link', { name: /^Show the calls/ })
      .filter({ visible: true })
      .count(),
  ).toBe(0);
  await printer.close();
});
