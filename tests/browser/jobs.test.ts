// Ten questions of a new user, each answered by clicks alone from the overview. docs/dashboard.md lists them with their clicks.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { toColumnDollars, toCount, toDollars, toName, toSigned } from '../../dashboard/src/lib/format.ts';
import { fromService } from '../../dashboard/src/lib/from-service.ts';
import { compareDays } from '../../dashboard/src/state/comparison.ts';
import type { DayRange } from '../../dashboard/src/state/search.ts';
import { openChromium } from '../support/chromium.ts';
import { sharedFarthing } from '../support/client.ts';
import { longTest } from '../support/long-test.ts';
import { type DemoProject, demoDays, shareDemoProject } from './demo-project.ts';
import { type Visitor, visit } from './visitor.ts';

const farthing = sharedFarthing();
let browser: Browser;
let demo: DemoProject;
let visitor: Visitor;
/** Of the job at hand. */
let clicks = 0;

const dayMs = 86_400_000;
const now = Date.now();
const dayOf = (daysAgo: number): string => new Date(now - daysAgo * dayMs).toISOString().slice(0, 10);
const fourWeeks: DayRange = { from: dayOf(27), to: dayOf(0) };
const week: DayRange = { from: dayOf(6), to: dayOf(0) };
const yesterday: DayRange = { from: dayOf(1), to: dayOf(1) };
const endOfLastMonth = new Date(Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth(), 0));
const lastMonth: DayRange = {
  from: `${endOfLastMonth.toISOString().slice(0, 7)}-01`,
  to: endOfLastMonth.toISOString().slice(0, 10),
};
const toDates = ({ from, to }: DayRange) => ({ date_from: from, date_to: to });

const compare = (days: DayRange) => {
  const compared = compareDays(days, { today: dayOf(0), firstDay: dayOf(demoDays - 1) });
  if (!compared) throw new Error('Nothing to compare with');
  return compared;
};

beforeAll(async () => {
  [browser, demo] = await Promise.all([openChromium(), shareDemoProject(farthing)]);
  visitor = await visit(browser, farthing, { as: demo.key });
  await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
});
afterAll(() => visitor?.close());

beforeEach(async () => {
  const { window } = visitor;
  // As a link would lead there: without loading the page anew.
  if (window.url() === 'about:blank') await window.goto('/');
  else await window.evaluate("history.pushState({}, '', '/')");
  await heading('Costs');
  clicks = 0;
});
afterEach(() => expect(visitor.faults).toEqual([]));

/** The only way by which these tests use the page, besides typing. */
async function click(target: Locator, position?: { x: number; y: number }): Promise<void> {
  clicks += 1;
  await target.click(position ? { position } : {});
}
const clickPage = (name: string) =>
  click(visitor.window.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }));
const region = (name: string) => visitor.window.getByRole('region', { name, exact: true }).first();
const heading = (name: string | RegExp) => visitor.window.getByRole('heading', { name, level: 1 }).waitFor();
/** Waits until these figures are the ones shown. */
const expectFigures = async (figures: Readonly<Record<string, string>>) =>
  await expect
    .poll(async () =>
      Object.fromEntries(await Promise.all(Object.keys(figures).map(async (name) => [name, await readFigure(name)]))),
    )
    .toEqual(figures);
const readFigure = async (name: string) =>
  (await visitor.window.locator(`[data-figure="${name}"]`).allInnerTexts()).join();

const costRow = z.object({ feature: z.string().optional(), cost: z.number() });
const marginRow = z.object({
  customer: z.string().optional(),
  ...{ revenue: z.number(), cost: z.number(), margin: z.number() },
});
async function ask<Row extends z.ZodType>(path: string, row: Row, body: object): Promise<z.output<Row>[]> {
  const answer = await demo.ask('POST', path, { limit: 1_000, ...body });
  return z.array(row).parse(answer.rows);
}

/** The amounts of a waterfall, with one precision. */
function toWaterfall(before: number, parts: readonly { readonly amount: number }[], after: number): string[] {
  const changed = parts.map(({ amount }) => amount);
  const dollars = toColumnDollars([before, ...changed, after]);
  return [dollars(before), ...changed.map((amount) => `${amount > 0 ? '+' : ''}${dollars(amount)}`), dollars(after)];
}

const changes = z.object({
  ...{ cost_before: z.number(), cost: z.number() },
  by_customer: z.object({ causes: z.array(z.object({ amount: z.number() })) }),
});
/** Waits until the waterfall shows from what cost to what cost it leads, and each cause between. */
async function expectCauses(days: DayRange, filters: object = {}): Promise<void> {
  const { days: compared, before } = compare(days);
  const body = { ...toDates(compared), ...filters, before_from: before.from, before_to: before.to };
  const answer = changes.parse(await demo.ask('POST', '/api/changes/', body));
  const causes = answer.by_customer.causes.filter(({ amount }) => amount !== 0);
  expect(causes.length).toBeGreaterThan(0);
  const bars = region('What changed the cost most').getByRole('list').locator('li');
  await expect
    .poll(async () => (await bars.allInnerTexts()).map((text) => text.trim().split('\n').at(-1)))
    .toEqual(toWaterfall(answer.cost_before, causes, answer.cost));
}

test('D25: who lost us money last month and why: two clicks', async () => {
  await clickPage('Report');
  await heading(/^AI cost and margin/);
  const rows = await ask('/api/margin/', marginRow, { ...toDates(lastMonth), aggregate: 'all', group_by: 'customer' });
  const [worst] = rows.filter(({ customer }) => customer !== '').toSorted((a, b) => a.margin - b.margin);
  const name = worst?.customer ?? '';
  expect(worst?.margin).toBeLessThan(0);
  const ranking = region('Customers, by cost');
  await ranking.getByText(new RegExp(`^${name} \\(.*\\).* costs? more than`)).waitFor();
  expect(await ranking.innerText()).toContain(`${name} (${toDollars(worst?.margin ?? 0)})`);
  await click(ranking.getByRole('link', { name, exact: true }));
  await heading(name);
  await expectFigures({
    Revenue: toDollars(worst?.revenue ?? 0),
    'AI cost': toDollars(worst?.cost ?? 0),
    Margin: toDollars(worst?.margin ?? 0),
    Status: 'unprofitable',
  });
  // Why: what it pays for what it costs, and what would change that.
  await region('What would change it')
    .getByText(/^It pays .* and costs .* a month\./)
    .waitFor();
  expect(clicks).toBe(2);
});

/** Waits until the page has what a model cost by feature this week, and the week before. */
async function expectFeaturesOf(model: string): Promise<void> {
  await heading('Features');
  const costsOf = async (days: DayRange) =>
    await ask('/api/costs/', costRow, { ...toDates(days), models: [model], aggregate: 'all', group_by: 'feature' });
  const [costs, then] = await Promise.all([costsOf(week), costsOf(compare(week).before)]);
  const costThen = new Map(then.map(({ feature, cost }) => [feature, cost]));
  const sorted = costs.toSorted((a, b) => b.cost - a.cost);
  expect(sorted.length).toBeGreaterThan(1);
  await expect
    .poll(async () =>
      (await visitor.rows('features')).map(([name, cost, before = '']) => [name, cost, before.split(/\s/)[0]]),
    )
    .toEqual(
      sorted.map(({ feature = '', cost }) => [toName(feature), toDollars(cost), toDollars(costThen.get(feature) ?? 0)]),
    );
  expect(clicks).toBe(2);
}

longTest('D25: what a model cost by feature this week against last: two clicks', async () => {
  const { window } = visitor;
  // By the menu.
  await clickPage('Models');
  const table = region('models');
  const row = table.getByRole('row').filter({ hasText: 'gpt-4o' });
  await row.waitFor();
  const columns = await table.getByRole('columnheader').allInnerTexts();
  await click(row.getByRole('cell').nth(columns.indexOf('Last 7 days')).getByRole('link'));
  await expectFeaturesOf('gpt-4o');

  // By the chart: a line below each name of its legend says that it leads somewhere.
  await window.evaluate("history.pushState({}, '', '/')");
  await heading('Costs');
  clicks = 0;
  await click(window.getByRole('group', { name: 'Range' }).getByRole('button', { name: '7 days' }));
  const door = window.getByRole('main').getByRole('listitem').getByRole('link', { name: 'gpt-4o', exact: true });
  await door.locator('.underline').waitFor();
  await click(door);
  await expectFeaturesOf('gpt-4o');
});

test('D21, D25: why the cost of yesterday jumped: one click, and until its causes are there those of before keep their days', async () => {
  const { window } = visitor;
  const first = region('What changed the cost most').getByRole('listitem').first();
  const shown = await first.innerText();
  const answer = Promise.withResolvers<void>();
  await window.route('**/api/changes/', async (route) => {
    await answer.promise;
    // `unroute` may have let it go on meanwhile.
    await route.continue().catch(() => undefined);
  });
  const chart = window.getByRole('slider', { name: /^Cost by day/ });
  await chart.locator('canvas').waitFor();
  const { width = 0, height = 0 } = (await chart.boundingBox()) ?? {};
  // The bar before the last of 28, right of the axis.
  await click(chart, { x: width - 12 - (1.5 * (width - 60)) / 28, y: height / 2 });
  const [row] = await ask('/api/costs/', costRow, { ...toDates(yesterday), aggregate: 'all' });
  await expectFigures({ 'AI cost': toDollars(row?.cost ?? 0) });
  expect(await first.innerText()).toBe(shown);
  answer.resolve();
  await window.unroute('**/api/changes/');
  await expectCauses(yesterday);
  expect(await first.innerText()).not.toBe(shown);
  expect(new URL(window.url()).searchParams.get('from')).toBe(yesterday.from);
  expect(clicks).toBe(1);
  // Back leads to all days again.
  await window.goBack();
  const [all] = await ask('/api/costs/', costRow, { ...toDates(fourWeeks), aggregate: 'all' });
  await expectFigures({ 'AI cost': toDollars(all?.cost ?? 0) });
});

longTest('D25: which calls have no price, and one for them: two clicks', async () => {
  const { window } = visitor;
  const query = new URLSearchParams({ date_from: fourWeeks.from, date_to: fourWeeks.to });
  const { unpriced_calls: calls, unpriced } = z
    .object({ unpriced_calls: z.number(), unpriced: z.array(z.object({ model: z.string() })) })
    .parse(await demo.ask('GET', `/api/coverage/?${query}`));
  const model = unpriced[0]?.model ?? '';
  const card = region('How complete this is');
  const link = card.getByRole('link', { name: 'Set a price' });
  await link.waitFor();
  expect(await card.innerText()).toMatch(new RegExp(`${toCount(calls)} calls .* count as \\$0: ${model}`));
  await click(link);
  await heading('Prices');
  const form = window.getByRole('dialog');
  expect(await form.getByLabel('Model').inputValue()).toBe(model);
  await form.getByLabel('Input, USD per million tokens').fill('0.5');
  await form.getByLabel('Output, USD per million tokens').fill('1.25');
  await click(form.getByRole('button', { name: 'Add it' }));
  await expect
    .poll(async () => (await visitor.rows('Your own prices'))[0]?.slice(0, 3))
    .toEqual([model, '$0.50', '$1.25']);
  const { prices } = z
    .object({ prices: z.array(z.object({ model: z.string(), output_per_mtok: z.number() })) })
    .parse(await demo.ask('GET', '/api/prices/'));
  expect(prices).toEqual([{ model, output_per_mtok: 1.25 }]);
  expect(clicks).toBe(2);
  // With a price, only a reprice counts the calls of days that are over.
  await visitor.open('/');
  await card.getByRole('link', { name: `A reprice counts those of ${model}.` }).waitFor();
  expect(await card.innerText()).not.toContain('Set a price');
});

longTest('D25: what becomes of margins after the credits: one click', async () => {
  await clickPage('Credits');
  const margin = z.object({ margin: z.number() });
  const { customers } = z
    .object({ customers: z.array(z.object({ customer: z.string(), now: margin, after: margin })) })
    .parse(await demo.ask('GET', `/api/credit-cliff/?${new URLSearchParams(toDates(fourWeeks))}`));
  await expect
    .poll(async () =>
      (await visitor.rows('When the credits end')).map(([name, , before, , after]) => [name, before, after]),
    )
    .toEqual(customers.map((row) => [toName(row.customer), toDollars(row.now.margin), toDollars(row.after.margin)]));
  expect(clicks).toBe(1);
});

longTest('D22, D25: what another price would cost, before it is in force: two clicks', async () => {
  const { window } = visitor;
  await clickPage('What if');
  await click(window.getByRole('button', { name: 'Another price' }));
  const price = window.getByRole('group', { name: 'Price 1' });
  await price.getByLabel('Model').fill('gpt-4o');
  // Long enough for a question: none is asked of a price without its rates.
  await pause(800);
  expect(await window.getByRole('alert').allInnerTexts()).toEqual([]);
  await price.getByLabel('Input, USD per million tokens').fill('2.125');
  await price.getByLabel('Output, USD per million tokens').fill('8');
  await price.getByLabel('Cached input (default: input)').fill('1');
  await window.getByText(/with gpt-4o at .* cached input for a million tokens/).waitFor();
  const id = new URL(window.url()).searchParams.get('asked') ?? '';
  const answer = z
    .object({ before: z.number(), after: z.number(), assume: z.object({ overrides: z.array(z.unknown()) }) })
    .parse(await demo.ask('GET', `/api/prices/reprices/${id}/`));
  const assumed = { model: 'gpt-4o', input_per_mtok: 2.125, output_per_mtok: 8, cache_read_per_mtok: 1 };
  expect(answer.assume.overrides).toEqual([expect.objectContaining(assumed)]);
  expect(answer.after).toBeLessThan(answer.before);
  await expectFigures({ Cost: toDollars(answer.before), 'New cost': toDollars(answer.after) });
  expect(clicks).toBe(2);

  // The prices stand in the answer, and fill the form again.
  expect(await price.getByLabel('Input, USD per million tokens').inputValue()).toBe('2.125');
  // Nothing is in force.
  const { prices } = z
    .object({ prices: z.array(z.object({ model: z.string() })) })
    .parse(await demo.ask('GET', '/api/prices/'));
  expect(prices.map(({ model }) => model)).not.toContain('gpt-4o');
});

longTest('D25: an export for a spreadsheet: one click', async () => {
  const [file] = await Promise.all([
    visitor.window.waitForEvent('download'),
    click(visitor.window.getByRole('button', { name: 'CSV' }).first()),
  ]);
  const lines = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
    .slice(1);
  const rows = await ask('/api/costs/', z.object({ date_from: z.string(), cost: z.number() }), toDates(fourWeeks));
  const cells = lines.map((line) => line.split(','));
  expect(cells.map((line) => [line[0], Number(line.at(-1))])).toEqual(
    rows.map(({ date_from: day, cost }) => [day, cost]),
  );
  expect(clicks).toBe(1);
});

longTest('D25: a link for somebody else to this view: one click', async () => {
  const { window } = visitor;
  await click(window.getByRole('button', { name: 'Copy link' }));
  await window.getByRole('button', { name: 'Copied' }).waitFor();
  await window.locator('[data-figure="Errors"]').waitFor();
  const link = await window.evaluate<string>('navigator.clipboard.readText()');
  const readAll = async () =>
    await Promise.all(['AI cost', 'Revenue', 'Gross margin', 'Calls', 'Errors'].map(visitor.figure));
  const figures = await readAll();
  await visitor.open(link);
  expect(await readAll()).toEqual(figures);
  const { searchParams } = new URL(link);
  expect([searchParams.get('from'), searchParams.get('to')]).toEqual([fourWeeks.from, fourWeeks.to]);
  expect(clicks).toBe(1);
});

longTest('D18, D25: whether the invoice is right: one click', async () => {
  await clickPage('Reconciliation');
  const part = z.object({ amount: z.number() });
  const [row] = await ask(
    '/api/reconciliation/',
    z.object({ computed: z.number(), invoiced: z.number(), difference: z.number(), parts: z.array(part) }),
    { ...toDates(lastMonth), aggregate: 'all' },
  );
  expect(row?.invoiced).toBeGreaterThan(0);
  await expectFigures({
    Computed: toDollars(row?.computed ?? 0),
    Invoiced: toDollars(row?.invoiced ?? 0),
    Difference: toSigned(row?.difference ?? 0),
  });
  const shown = await region('From computed to invoiced').innerText();
  for (const amount of toWaterfall(row?.computed ?? 0, row?.parts ?? [], row?.invoiced ?? 0))
    expect(shown).toContain(amount);
  expect(clicks).toBe(1);
});

longTest('D25: what to do first: no click', async () => {
  const { steps } = z
    .object({ steps: z.array(z.object({ amount: z.number(), reason: z.string() })) })
    .parse(await demo.ask('GET', '/api/next-steps/'));
  const [first] = steps;
  const text = await region('Next steps').locator('li').first().innerText();
  expect(text).toContain(fromService(first?.reason ?? '-'));
  expect(text).toContain(toDollars(first?.amount ?? -1));
  expect(clicks).toBe(0);
});

/** Notes what the page asks, and whether the chart has its place and data then: its script may still load. */
const noteQuestions = `(() => {
  window.asked = [];
  const { fetch } = window;
  window.fetch = (path, init) => {
    window.asked.push({ path, body: init?.body ?? '', isDrawn: document.querySelector('[role=slider]') !== null });
    return fetch(path, init);
  };
})()`;

longTest('D25: the overview asks nothing twice, and what stands below its chart once that has its data', async () => {
  const { window, context } = visitor;
  await context.addInitScript(noteQuestions);
  await visitor.open('/');
  const coverage = region('How complete this is').getByRole('listitem').first();
  await coverage.waitFor();
  const asked = await window.evaluate<{ path: string; body: string; isDrawn: boolean }[]>('asked');
  const names = asked.map(({ path, body }) => `${path} ${body}`);
  expect(names).toEqual([...new Set(names)]);
  const isFirst = (name: string) =>
    /^\/(?:session|api\/(?:providers|alerts|costs|usage|margin|revenue))\//.test(name) && !name.includes('"customer"');
  const before = names.filter((_, place) => !asked[place]?.isDrawn);
  expect(before.filter((name) => !isFirst(name))).toEqual([]);
  // Figures now, compared and before of usage and margin; whether the days before earned; four for the chart.
  expect(before.length).toBeLessThanOrEqual(14);
  const later = names.filter((_, place) => asked[place]?.isDrawn).map((name) => name.split('?')[0]?.split(' ')[0]);
  expect(later).toEqual(
    expect.arrayContaining(['/api/margin/', '/api/next-steps/', '/api/changes/', '/api/coverage/']),
  );
  const [total] = (await demo.ask('POST', '/api/costs/', { ...toDates(fourWeeks), aggregate: 'all' })).rows as [
    { cost: number },
  ];
  await expect.poll(() => visitor.figure('AI cost')).toBe(toDollars(total.cost));
});
