import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { launchChromium } from '../support/chromium.ts';
import { sharedFarthing } from '../support/client.ts';
import { type DemoProject, makeDemoProject } from './demo-project.ts';
import { type Visitor, visit } from './visitor.ts';

const farthing = sharedFarthing();
let browser: Browser;
let demo: DemoProject;
let visitor: Visitor;

const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
const [from, to] = [dayOf(11), dayOf(2)];
const range = { date_from: from, date_to: to };
const days = `from=${from}&to=${to}`;

const rowsOf = <Row extends z.ZodType>(row: Row) => z.object({ rows: z.array(row) });
const marginRow = z.object({
  customer: z.string().optional(),
  revenue: z.number(),
  cost: z.number(),
  margin: z.number(),
  margin_pct: z.number(),
  risk_status: z.string(),
});
const costRow = z.object({ cost: z.number() });
const usageRow = z.object({ calls: z.number(), errors: z.number() });

const dollars = (amount: number) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(amount);
const count = (number: number) => new Intl.NumberFormat('en-US').format(number);

async function askOne<Row extends z.ZodType>(path: string, row: Row, body: object): Promise<z.output<Row>> {
  const { rows } = rowsOf(row).parse(await demo.ask('POST', path, { ...range, aggregate: 'all', ...body }));
  const [first] = rows;
  if (first === undefined) throw new Error(`${path} answered no row`);
  return first as z.output<Row>;
}

beforeAll(async () => {
  [browser, demo] = await Promise.all([launchChromium(), makeDemoProject(farthing, { type: 'revenue', days: 12 })]);
  visitor = await visit(browser, farthing);
  await visitor.signIn(demo.key);
});
afterAll(async () => {
  await browser?.close();
});

test('every number of the overview is the one that the API answers', async () => {
  await visitor.open(`/?${days}`);
  const [cost, margin, usage] = await Promise.all([
    askOne('/api/costs/', costRow, {}),
    askOne('/api/margin/', marginRow, {}),
    askOne('/api/usage/', usageRow, {}),
  ]);
  expect(cost.cost).toBeGreaterThan(10);
  expect(await visitor.figure('AI cost')).toBe(dollars(cost.cost));
  expect(await visitor.figure('Revenue')).toBe(dollars(margin.revenue));
  expect(await visitor.figure('Gross margin')).toBe(`${margin.margin_pct.toFixed(1)}%`);
  expect(await visitor.figure('Calls')).toBe(count(usage.calls));
  expect(await visitor.figure('Errors')).toBe(count(usage.errors));
  expect(visitor.faults).toEqual([]);
});

test('a link shows the same to somebody else: days, filters and credits stand in it', async () => {
  await visitor.open(`/?${days}`);
  const { window } = visitor;
  await window.getByRole('button', { name: 'Filter' }).click();
  await window.getByLabel('Search: Customer').fill('acme');
  await window.getByRole('checkbox', { name: /Acme Robotics/ }).check();
  await window.keyboard.press('Escape');
  await window.getByRole('button', { name: 'Before credits' }).click();
  const body = { customers: ['Acme Robotics'], apply_credits: true };
  const cost = await askOne('/api/costs/', costRow, body);
  await expect.poll(() => visitor.figure('AI cost')).toBe(dollars(cost.cost));

  const other = await visit(browser, farthing);
  await other.signIn(demo.readOnlyKey);
  await other.open(window.url());
  expect(await other.figure('AI cost')).toBe(dollars(cost.cost));
  expect(await other.window.getByText('Customer: Acme Robotics').count()).toBe(1);
  expect(other.window.url()).toBe(window.url());
  expect([...visitor.faults, ...other.faults]).toEqual([]);
  await other.close();
});

test('the margin table shows what the API answers, sorted over all rows and exported as answered', async () => {
  await visitor.open(`/customers?${days}`);
  const { window } = visitor;
  await window.getByRole('button', { name: 'Margin', exact: true }).click();
  await window.getByRole('button', { name: 'Margin', exact: true }).click();
  const answer = await demo.ask('POST', '/api/margin/', {
    ...range,
    aggregate: 'all',
    group_by: 'customer',
    limit: 1000,
  });
  const rows = rowsOf(marginRow)
    .parse(answer)
    .rows.toSorted((a, b) => a.margin - b.margin);
  const shown = await visitor.rows('Margin by customer');
  expect(shown.map(([name, revenue, cost, margin]) => [name, revenue, cost, margin])).toEqual(
    rows.map((row) => [row.customer || 'not attributed', ...[row.revenue, row.cost, row.margin].map(dollars)]),
  );

  const [download] = await Promise.all([
    window.waitForEvent('download'),
    window.getByRole('button', { name: 'CSV' }).first().click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .replace('\uFEFF', '')
    .trim()
    .split('\r\n')
    .slice(1);
  expect(lines.toSorted()).toEqual(
    rows
      .map((row) => [row.customer, row.revenue, row.cost, row.margin, row.margin_pct, row.risk_status].join(','))
      .toSorted(),
  );
  expect(visitor.faults).toEqual([]);
});

test('a chart has a table of the same numbers, with the totals of the API', async () => {
  await visitor.open(`/features?${days}`);
  await visitor.window.getByRole('button', { name: 'Table' }).click();
  const shown = await visitor.rows('Cost by day, by feature');
  const answer = await demo.ask('POST', '/api/costs/', range);
  expect(shown.map((cells) => cells.at(-1))).toEqual(
    rowsOf(costRow)
      .parse(answer)
      .rows.map(({ cost }) => dollars(cost)),
  );
});

test('one call shows how its cost was reached, line by line, and its events', async () => {
  const calls = await demo.ask('POST', '/api/calls/', { ...range, models: ['gpt-4o'], features: ['agent'], limit: 1 });
  const { event_id: id } = z.object({ event_id: z.string() }).parse(z.array(z.unknown()).parse(calls.rows)[0]);
  const explained = z
    .object({ cost: z.number(), explanation: z.object({ lines: z.array(z.object({ amount: z.number() })) }) })
    .parse(await demo.ask('GET', `/api/calls/${id}/`));
  await visitor.open('/calls');
  await visitor.window.getByLabel('The id of a call, or the name of a run').fill(id);
  await visitor.window.keyboard.press('Enter');
  const lines = await visitor.rows('How the cost was reached');
  const exact = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 12 });
  expect(lines.map((cells) => cells[3])).toEqual(explained.explanation.lines.map(({ amount }) => exact.format(amount)));
  expect(lines.every((cells) => cells[4]?.includes('openai / gpt-4o'))).toBe(true);
  expect(await visitor.figure('Call cost')).toBe(exact.format(explained.cost));
  expect(await visitor.window.locator('pre').first().innerText()).toContain(id);

  await visitor.window.getByRole('link', { name: /^run-/ }).click();
  await visitor.window.getByRole('heading', { name: 'Calls over time' }).waitFor();
  expect(visitor.faults).toEqual([]);
});
