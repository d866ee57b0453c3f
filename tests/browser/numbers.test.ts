import { readFileSync } from 'node:fs';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  isRelative,
  toChange,
  toColumnDollars,
  toCount,
  toDollars,
  toExactDollars,
  toMarginPct,
  toName,
  toShare,
  toShortRange,
  toSigned,
} from '../../dashboard/src/lib/format.ts';
import { toFeeChange } from '../../dashboard/src/state/comparison.ts';
import { openChromium } from '../support/chromium.ts';
import { sharedFarthing } from '../support/client.ts';
import { longTest } from '../support/long-test.ts';
import { type DemoProject, demoDays, shareDemoProject } from './demo-project.ts';
import { type Visitor, visit } from './visitor.ts';

const farthing = sharedFarthing();
let browser: Browser;
let demo: DemoProject;
let visitor: Visitor;

const now = Date.now();
const dayOf = (daysAgo: number) => new Date(now - daysAgo * 86_400_000).toISOString().slice(0, 10);
/** Ten days, of which the demo has four of two weeks earlier. */
const [from, to] = [dayOf(demoDays - 9), dayOf(demoDays - 18)];
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
const callRow = z.object({ event_id: z.string(), time: z.string(), cost: z.number() });
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

async function askRows<Row extends z.ZodType>(path: string, row: Row, body: object): Promise<z.output<Row>[]> {
  return rowsOf(row).parse(await demo.ask('POST', path, { ...range, ...body })).rows as z.output<Row>[];
}

beforeAll(async () => {
  [browser, demo] = await Promise.all([openChromium(), shareDemoProject(farthing)]);
  visitor = await visit(browser, farthing, { as: demo.key });
});
afterAll(() => visitor?.close());

/** The same weekdays two weeks earlier, from the first day with calls, and the days that stand beside them. */
const before = { date_from: dayOf(demoDays - 1), date_to: dayOf(demoDays - 4) };
const compared = { date_from: dayOf(demoDays - 15), date_to: dayOf(demoDays - 18) };

test('D21: every number of the overview equals the API’s answer, and the waterfall of what changed adds up and leads to the calls', async () => {
  await visitor.go(`/?${days}`);
  await expectFigures();
  await expectWaterfall();
  expect(visitor.faults).toEqual([]);
});

/** Where a link leads. */
async function readDoor(link: Locator): Promise<URL> {
  return new URL((await link.getAttribute('href')) ?? '', farthing.url);
}
const doorOf = (figure: string) => readDoor(visitor.window.locator(`[data-figure="${figure}"] a`));

test('D25: from a figure one click leads to its calls or its rows, and back leads to the same view', async () => {
  const { window } = visitor;
  const total = async (body: object) => {
    const [{ calls }, { cost }] = await Promise.all([
      askOne('/api/usage/', usageRow, body),
      askOne('/api/costs/', costRow, body),
    ]);
    return `Calls ${count(calls)} ${dollars(cost)}`;
  };
  const heading = async () =>
    (await window.getByRole('heading', { level: 2 }).first().innerText())
      .replaceAll(/\s+/g, ' ')
      .replace(/ [\d,]+ without a price$/, '');
  const { errors } = await askOne('/api/usage/', usageRow, {});
  await visitor.go(`/?${days}`);
  const at = window.url();
  // A share leads to its rows.
  const complete = window.getByRole('region', { name: 'How complete this is' });
  expect((await readDoor(complete.getByRole('link', { name: /%$/ }).first())).pathname).toBe('/models');
  const doors: readonly [name: string, heading: string | RegExp, search: object][] = [
    ['AI cost', await total({}), { order: 'dearest' }],
    ['Errors', new RegExp(`^Calls ${count(errors)} · `), { waste: '["failed"]' }],
    ['Gross margin', /^Margin by customer/, { sort: 'margin' }],
  ];
  const paths = new Map<string, URL>();
  for (const [name, , search] of doors) {
    const door = await doorOf(name);
    expect(Object.fromEntries(door.searchParams)).toMatchObject({ from, to, ...search });
    paths.set(name, door);
  }
  for (const [name, title] of doors) {
    const { pathname = '', search = '' } = paths.get(name) ?? {};
    if (name === 'AI cost') await window.locator(`[data-figure="${name}"] a`).click();
    else await visitor.go(pathname + search);
    await expect.poll(heading).toEqual(typeof title === 'string' ? title : expect.stringMatching(title));
    if (name !== 'AI cost') continue;
    await window.goBack();
    await window.waitForURL(at);
  }
  // A cell leads to the calls of its row, or of the days before.
  await visitor.go(`/models?${days}`);
  const cells = window.getByRole('region', { name: 'models', exact: true }).locator('tbody tr').first().locator('td');
  // A long name has its whole in its title.
  const name = cells.first().locator('bdi');
  const model = (await name.getAttribute('title')) ?? (await name.innerText());
  const { pathname, search } = await readDoor(cells.nth(2).getByRole('link'));
  await cells.nth(1).getByRole('link').click();
  await expect.poll(heading).toBe(await total({ ...range, models: [model] }));
  await visitor.go(pathname + search);
  await expect.poll(heading).toBe(await total({ ...before, models: [model] }));
  // What was paid leads to its customer on the days of the entry.
  await visitor.go(`/revenue?${days}`);
  const entry = window.getByRole('region', { name: 'Revenue entries' }).locator('tbody tr').first();
  const customer = await entry.locator('td').first().innerText();
  const paid = await entry.locator('td').nth(1).innerText();
  await entry.getByRole('link', { name: paid }).click();
  await window.getByRole('heading', { name: customer, level: 1 }).waitFor();
  await expect.poll(() => visitor.figure('Revenue')).toBe(paid);
  expect(visitor.faults).toEqual([]);
});

test('D28.2: costs, and what changed them, are shown by a tag that one chooses', async () => {
  const { window } = visitor;
  await visitor.go(`/?${days}`);
  await window.getByRole('button', { name: 'Group by a tag' }).first().click();
  await window.getByRole('group', { name: 'Tags of customers' }).getByRole('button', { name: /^plan/ }).click();
  await window.getByRole('heading', { name: 'Cost by day, by customer tag plan' }).waitFor();
  await window.getByRole('button', { name: 'Table' }).click();
  await window.waitForURL(/table=/);
  const planRow = z.object({ date_from: z.string(), tag: z.string(), cost: z.number() });
  const byPlan = { group_by: 'customer_tag:plan' };
  const [ofDays, ofPlans] = await Promise.all([
    askRows('/api/costs/', planRow, { ...byPlan, limit: 1_000 }),
    askRows('/api/costs/', planRow, { ...byPlan, aggregate: 'all' }),
  ]);
  const plans = ofPlans.toSorted((a, b) => b.cost - a.cost).map(({ tag }) => tag);
  const costOf = (day: string, plan: string) =>
    ofDays.find(({ date_from, tag }) => date_from === day && tag === plan)?.cost ?? 0;
  const daysShown = [...new Set(ofDays.map(({ date_from }) => date_from))];
  await expect
    .poll(async () =>
      (await visitor.rows('Cost by day, by customer tag plan')).map((cells) => cells.slice(1, 1 + plans.length)),
    )
    .toEqual(
      daysShown.map((day) =>
        plans.map((plan) => toColumnDollars(daysShown.map((other) => costOf(other, plan)))(costOf(day, plan))),
      ),
    );

  const { pathname, search } = new URL(window.url());
  await visitor.go(`${pathname}${search}&changes=customer_tag:plan`);
  await window.getByRole('button', { name: 'Numbers' }).click();
  await expect
    .poll(async () => (await visitor.rows('Changes')).map(([plan]) => plan).toSorted())
    .toEqual(plans.map(toName).toSorted());
  // Until the answer by another tag is there, no row has the names of this one.
  const answer = Promise.withResolvers<void>();
  await window.route('**/api/changes/', async (route) => {
    await answer.promise;
    // `unroute` may have let it go on meanwhile.
    await route.continue().catch(() => undefined);
  });
  const changes = window.getByRole('region', { name: 'What changed the cost most' });
  await changes.getByRole('button', { name: 'Tag plan', exact: true }).click();
  await changes.getByRole('button', { name: /^feature/ }).click();
  await changes.getByRole('button', { name: 'Tag feature', exact: true }).waitFor();
  expect(await changes.getByRole('cell').count()).toBe(0);
  answer.resolve();
  await changes.getByRole('cell').first().waitFor();
  await window.unroute('**/api/changes/');

  await window.getByRole('button', { name: 'Filter', exact: true }).click();
  await window.getByRole('combobox', { name: 'What to filter by' }).selectOption('Customer tag');
  await window.locator('#tag-keys option[value=plan]').waitFor({ state: 'attached' });
  await window.getByRole('combobox', { name: 'Key' }).fill('plan');
  const offered = await window.locator('#tag-values option').all();
  const values = await Promise.all(offered.map((option) => option.getAttribute('value')));
  expect(values.toSorted()).toEqual(plans.filter((plan) => plan !== '').toSorted());

  await visitor.go(`/models?${days}&by=customer_tag:plan`);
  expect((await visitor.rows('tags')).map((cells) => cells.slice(0, 2))).toEqual(
    plans.map((plan) => [toName(plan), toDollars(ofPlans.find(({ tag }) => tag === plan)?.cost ?? 0)]),
  );

  // A row by a tag of calls leads to its calls, with the same sum.
  await visitor.go(`/models?${days}&by=tag:feature`);
  const [[, costOfTag = ''] = []] = await visitor.rows('tags');
  await window.locator('tbody tr').first().locator('a[href*="/calls?"]').first().click();
  await window.getByRole('button', { name: 'Show calls with other tags too' }).waitFor();
  await window
    .getByRole('heading', { name: /^Calls/, level: 2 })
    .getByText(costOfTag, { exact: true })
    .waitFor();
  expect((await visitor.rows('Calls')).length).toBeGreaterThan(0);

  await visitor.go(`/customers?${days}&by=customer_tag:plan`);
  expect((await visitor.rows('Margin by customer tag plan')).map(([plan, , cost]) => [plan, cost])).toEqual(
    plans.map((plan) => [toName(plan), toDollars(ofPlans.find(({ tag }) => tag === plan)?.cost ?? 0)]),
  );
  expect(visitor.faults).toEqual([]);
});

/** The cards, the table of the chart, and how complete the data is. */
async function expectFigures(): Promise<void> {
  const [cost, margin, usage, customers] = await Promise.all([
    askOne('/api/costs/', costRow, {}),
    askOne('/api/margin/', marginRow, {}),
    askOne('/api/usage/', usageRow, {}),
    askRows('/api/margin/', marginRow, { aggregate: 'all', group_by: 'customer' }),
  ]);
  const [costNow, marginNow, usageNow, costThen, marginThen, usageThen] = await Promise.all([
    askOne('/api/costs/', costRow, compared),
    askOne('/api/margin/', marginRow, compared),
    askOne('/api/usage/', usageRow, compared),
    askOne('/api/costs/', costRow, before),
    askOne('/api/margin/', marginRow, before),
    askOne('/api/usage/', usageRow, before),
  ]);
  expect(cost.cost).toBeGreaterThan(10);
  expect(costThen.cost).toBeGreaterThan(0);
  const toShort = (some: typeof range) => toShortRange({ from: some.date_from, to: some.date_to }, to.slice(0, 4));
  const versus = (now: number, then: number, format = toDollars) =>
    `${toChange(now, then, format)} vs ${toShort(before)}, against ${toShort(compared)}`;
  const unprofitable = customers.filter((row) => row.customer !== '' && row.risk_status === 'unprofitable').length;
  expect(unprofitable).toBeGreaterThan(0);
  const toRange = (some: typeof range) => ({ from: some.date_from, to: some.date_to });
  const fees = toFeeChange({ days: toRange(compared), before: toRange(before) }, marginNow.revenue, marginThen.revenue);
  const errorShare = ({ errors, calls }: z.output<typeof usageRow>) => toShare(errors / calls);
  const figures = {
    'AI cost': [dollars(cost.cost), versus(costNow.cost, costThen.cost)],
    Revenue: [
      dollars(margin.revenue),
      [
        versus(marginNow.revenue, marginThen.revenue),
        ...(fees
          ? [
              fees === toChange(marginNow.revenue, marginThen.revenue)
                ? 'all from month lengths'
                : `${fees} from month lengths alone`,
            ]
          : []),
      ].join('\n'),
    ],
    'Gross margin': [
      toMarginPct(margin),
      `${dollars(margin.margin)}\u00a0· ${marginThen.margin_pct.toFixed(1)}% before\n${unprofitable} ${unprofitable === 1 ? 'customer' : 'customers'} unprofitable`,
    ],
    Calls: [count(usage.calls), versus(usageNow.calls, usageThen.calls, toCount)],
    Errors: [count(usage.errors), `${errorShare(usage)} of calls\u00a0· ${errorShare(usageThen)} before`],
  };
  for (const [name, texts] of Object.entries(figures))
    expect([name, ...(await visitor.card(name))]).toEqual([name, ...texts]);

  await visitor.window.getByRole('button', { name: 'Table' }).click();
  const [totals, totalsThen] = await Promise.all([
    askRows('/api/costs/', costRow, {}),
    askRows('/api/costs/', costRow, before),
  ]);
  const [showTotal, showThen] = [totals, totalsThen].map((rows) => toColumnDollars(rows.map((row) => row.cost)));
  expect((await visitor.rows('Cost by day, by model')).map((cells) => cells.slice(-2))).toEqual(
    totals.map(({ cost: total }, index) => {
      const then = totalsThen[index - (totals.length - totalsThen.length)];
      return [then === undefined ? '–' : showThen?.(then.cost), showTotal?.(total)];
    }),
  );

  const coverage = z
    .object({
      priced_share: z.number(),
      calls: z.number(),
      unpriced_calls: z.number(),
      partly_priced_calls: z.number(),
      customer_attributed_share: z.number(),
      feature_attributed_share: z.number(),
    })
    .parse(await demo.ask('GET', `/api/coverage/?date_from=${from}&date_to=${to}`));
  const complete = await visitor.window.getByRole('region', { name: 'How complete this is' }).innerText();
  expect(complete.match(/^[\d.<]+%$/gm)).toEqual(
    [
      1 - (coverage.unpriced_calls + coverage.partly_priced_calls) / coverage.calls,
      coverage.customer_attributed_share,
      coverage.feature_attributed_share,
    ].map((share) => toShare(share)),
  );
  expect(complete).toContain(
    `${count(coverage.unpriced_calls)} calls (${toShare(1 - coverage.priced_share)}) count as $0`,
  );
  expect(complete).toContain(`${toShare(1 - coverage.customer_attributed_share)} of the cost names no customer.`);
}

const amounts = {
  cost_before: z.number(),
  cost: z.number(),
  difference: z.number(),
  parts: z.record(z.string(), z.number()),
};
const rankedChanges = z.object({
  rows: z.array(
    z.object({
      customer: z.string().optional(),
      feature: z.string().optional(),
      model: z.string().optional(),
      ...amounts,
    }),
  ),
  others: z.object({ count: z.number(), ...amounts }),
  causes: z.array(z.object({ cause: z.string(), amount: z.number() })),
});
const changesAnswer = z.object({
  ...amounts,
  by_customer: rankedChanges,
  by_feature: rankedChanges,
  by_model: rankedChanges,
});

/** An amount as the page shows it, in cents; amounts below ten cents have more digits. */
const toCents = (text: string) => Number(text.replace('−', '-').replace(/[+$,]/g, '')) * 100;

/** The waterfall of what changed most: its bars, their numbers as a table, and its links. */
async function expectWaterfall(): Promise<void> {
  const { window } = visitor;
  const card = window.getByRole('region', { name: 'What changed the cost most', exact: true });
  const answer = changesAnswer.parse(
    await demo.ask('POST', '/api/changes/', {
      ...compared,
      before_from: before.date_from,
      before_to: before.date_to,
      limit: 6,
    }),
  );
  const bars = card.getByRole('list').locator('li');
  const amountsOf = async () =>
    await Promise.all((await bars.all()).map(async (bar) => (await bar.innerText()).trim().split('\n').at(-1) ?? ''));
  const choose = async (choice: string) => {
    await card.getByRole('group', { name: 'Of' }).getByRole('button', { name: choice }).click();
    await card.getByRole('list', { name: new RegExp(choice, 'i') }).waitFor();
  };
  const toBars = (amounts: readonly number[]) => {
    const show = toColumnDollars([answer.cost_before, ...amounts, answer.cost]);
    return [
      show(answer.cost_before),
      ...amounts.map((amount) => (amount > 0 ? '+' : '') + show(amount)),
      show(answer.cost),
    ];
  };
  const changed = answer.by_customer.causes.filter(({ amount }) => amount !== 0);
  expect(changed.length).toBeGreaterThan(2);
  expect(await amountsOf()).toEqual(toBars(changed.map(({ amount }) => amount)));

  for (const [choice, dimension] of [
    ['Customers', 'customer'],
    ['Features', 'feature'],
    ['Models', 'model'],
  ] as const) {
    await choose(choice);
    const { rows, others } = answer[`by_${dimension}`];
    const all = [
      ...rows.map((row) => ({ ...row, name: row[dimension] || 'not attributed' })),
      { ...others, name: others.count === 1 ? '1 other' : `${others.count} others` },
    ].filter(({ difference }) => difference !== 0);
    const shown = await amountsOf();
    expect(shown).toEqual(toBars(all.map(({ difference }) => difference)));
    // Each amount is rounded to the cent.
    const [from = 0, ...steps] = shown.slice(0, -1).map(toCents);
    const sum = steps.reduce((level, step) => level + step, from);
    expect(Math.abs(sum - toCents(shown.at(-1) ?? ''))).toBeLessThanOrEqual(1 + shown.length / 2);

    const write = toColumnDollars(all.map(({ difference }) => difference));
    await card.getByRole('button', { name: 'Numbers' }).click();
    expect((await visitor.rows('Changes')).map((cells) => cells.slice(0, 4))).toEqual(
      all.map((row) => {
        // A change from next to nothing is no percentage.
        const percentage = isRelative(row.cost, row.cost_before) ? toChange(row.cost, row.cost_before) : '';
        const change = `${toSigned(row.difference, write)} ${percentage}`.trim();
        return [row.name, toDollars(row.cost), toDollars(row.cost_before), change];
      }),
    );
    await card.getByRole('button', { name: 'Bars' }).click();
  }

  const name = answer.by_model.rows[0]?.model ?? '';
  const { pathname, searchParams } = await readDoor(card.getByRole('link', { name }).first());
  expect([pathname, searchParams.get('models')]).toEqual(['/calls', JSON.stringify([name])]);
}

longTest(
  'the page compares with the days before unless switched off, and with none before the first call',
  async () => {
    const { window } = visitor;
    await visitor.go(`/?${days}`);
    const compare = window.getByRole('switch', { name: 'Days before' });
    expect(await compare.getAttribute('aria-checked')).toBe('true');
    await compare.click();
    await window.getByRole('heading', { name: 'What changed the cost most' }).waitFor({ state: 'detached' });
    expect(new URL(window.url()).searchParams.get('compare')).toBe('false');
    expect(await visitor.card('AI cost')).toHaveLength(1);
    await visitor.go('/?from=2000-01-03&to=2000-01-10');
    expect(await window.getByRole('switch', { name: 'Days before' }).isDisabled()).toBe(true);
    expect(await visitor.figure('AI cost')).toBe('$0.00');
    expect(visitor.faults).toEqual([]);
  },
);

test('a chart is saved as an image and as a file with the API’s numbers, is read by keyboard, and has a table', async () => {
  await visitor.go(`/features?${days}`);
  const { window } = visitor;
  const [image] = await Promise.all([
    window.waitForEvent('download'),
    window.getByRole('button', { name: 'PNG' }).click(),
  ]);
  const bytes = readFileSync(await image.path());
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  expect(bytes.readUInt32BE(16)).toBeGreaterThan(1_000);
  // Above the chart, of which a pixel of the page is two, stand its title, its days and its legend.
  const { height = 0 } = (await window.getByRole('slider').boundingBox()) ?? {};
  expect(bytes.readUInt32BE(20)).toBeGreaterThan(2 * height + 100);

  const rows = await askRows('/api/costs/', costRow, {});
  const lines = await visitor.download('CSV');
  expect(lines.map((line) => line.split(',').at(-1))).toEqual(rows.map(({ cost }) => String(cost)));

  const chart = window.getByRole('slider');
  await chart.focus();
  await window.keyboard.press('End');
  await window.keyboard.press('ArrowLeft');
  // All its amounts have one precision, as they stand below each other where a pointer shows them.
  const amounts = [...((await chart.getAttribute('aria-valuetext')) ?? '').matchAll(/(Total)?: \$([\d,]+\.(\d+))/g)];
  const total = amounts.find(([, name]) => name !== undefined);
  expect(total?.[2]).toBe(rows.at(-2)?.cost.toFixed(total?.[3]?.length));
  expect(new Set(amounts.map(([, , , decimals]) => decimals?.length)).size).toBe(1);
  await window.keyboard.press('Escape');

  await window.getByRole('button', { name: 'Table' }).click();
  const shown = await visitor.rows('Cost by day, by feature');
  expect(shown.map((cells) => cells.at(-1))).toEqual(rows.map(({ cost }) => dollars(cost)));
  expect(visitor.faults).toEqual([]);
});

test('a link holds days, filters and credits, and shows the same costs, and those before, to somebody else', async () => {
  await visitor.go(`/features?${days}`);
  const { window } = visitor;
  await window.getByRole('button', { name: 'Filter' }).click();
  await window.getByLabel('Search: Customer').fill('acme');
  // The box follows the address, which `check` does not wait for.
  await window.getByRole('checkbox', { name: /Acme Robotics/ }).click();
  await window.waitForURL(/Acme/);
  await window.keyboard.press('Escape');
  await window.getByRole('switch', { name: 'After credits' }).click();
  const body = { aggregate: 'all', group_by: 'feature', customers: ['Acme Robotics'], apply_credits: true };
  const featureRow = costRow.extend({ feature: z.string() });
  const [costs, costsThen] = await Promise.all([
    askRows('/api/costs/', featureRow, body),
    askRows('/api/costs/', featureRow, { ...body, ...before }),
  ]);
  expect(costs.length).toBeGreaterThan(1);
  const then = new Map(costsThen.map(({ feature, cost }) => [feature, toDollars(cost)]));
  const expected = costs
    .toSorted((a, b) => b.cost - a.cost)
    .map(({ feature, cost }) => [toName(feature), toDollars(cost), then.get(feature) ?? toDollars(0)]);
  const readCosts = async ({ rows }: Visitor) =>
    (await rows('features')).map(([name, cost, costThen = '']) => [name, cost, costThen.split(/\s/)[0]]);
  await expect.poll(() => readCosts(visitor)).toEqual(expected);

  const other = await visit(browser, farthing, { as: demo.readOnlyKey });
  await other.open(window.url());
  expect(await readCosts(other)).toEqual(expected);
  expect(await other.window.getByText('Customer: Acme Robotics').count()).toBe(1);
  expect(other.window.url()).toBe(window.url());
  await other.close();

  await window.getByRole('switch', { name: 'Shared costs' }).click();
  const shared = await askRows('/api/costs/', featureRow, { ...body, include_shared: true });
  const toTexts = (rows: readonly z.infer<typeof featureRow>[]) =>
    rows.toSorted((a, b) => b.cost - a.cost).map(({ feature, cost }) => [toName(feature), toDollars(cost)]);
  expect(toTexts(shared)).not.toEqual(toTexts(costs));
  await expect.poll(async () => (await readCosts(visitor)).map((row) => row.slice(0, 2))).toEqual(toTexts(shared));
  expect([...visitor.faults, ...other.faults]).toEqual([]);
});

test('every number of Customers equals the API’s answer, sorted over all rows and exported unchanged', async () => {
  await visitor.go(`/customers?${days}`);
  const { window } = visitor;
  await window.getByRole('button', { name: 'Margin over time' }).click();
  const byChange = (await visitor.rows('Margin by customer')).map(([name]) => name);
  await window.getByRole('button', { name: 'Margin', exact: true }).click();
  await window.getByRole('button', { name: 'Margin', exact: true }).click();
  const asked = { aggregate: 'all', group_by: 'customer', limit: 1000 };
  const [answered, answeredNow, answeredThen, overTime] = await Promise.all([
    askRows('/api/margin/', marginRow, asked),
    askRows('/api/margin/', marginRow, { ...asked, ...compared }),
    askRows('/api/margin/', marginRow, { ...asked, ...before }),
    askRows('/api/margin/', marginRow, {}),
  ]);
  const rows = answered.toSorted((a, b) => a.margin - b.margin);
  const [marginNow, marginThen] = [answeredNow, answeredThen].map(
    (some) => new Map(some.map(({ customer, margin }) => [customer, margin])),
  ) as [Map<string | undefined, number>, Map<string | undefined, number>];
  expect(marginThen.size).toBeGreaterThan(5);
  const toBefore = ({ customer }: z.output<typeof marginRow>) => {
    const then = marginThen.get(customer);
    const now = marginNow.get(customer) ?? 0;
    return then === undefined ? '–' : `${toDollars(then)}\n${toChange(now, then)}\n→ ${toDollars(now)}`;
  };
  const calcChange = ({ customer }: z.output<typeof marginRow>) =>
    (marginNow.get(customer) ?? 0) - (marginThen.get(customer) ?? 0);
  expect(byChange).toEqual(
    answered.toSorted((a, b) => calcChange(a) - calcChange(b)).map(({ customer }) => customer || 'not attributed'),
  );
  const shown = await visitor.rows('Margin by customer');
  expect(shown.map((cells) => cells.slice(0, 7))).toEqual(
    rows.map((row) => [
      row.customer || 'not attributed',
      ...[row.revenue, row.cost, row.margin].map(toDollars),
      toMarginPct(row),
      row.customer === '' ? '–' : row.risk_status.replace('_', ' '),
      toBefore(row),
    ]),
  );
  const unprofitable = rows.filter((row) => row.customer !== '' && row.risk_status === 'unprofitable').length;
  expect(await window.getByText(/customers? unprofitable/).allInnerTexts()).toEqual(
    unprofitable === 0 ? [] : [`${unprofitable} ${unprofitable === 1 ? 'customer' : 'customers'} unprofitable`],
  );
  // The sparkline has a point for every day that has a row.
  const points = window.getByRole('img', { name: `Margin of ${rows.at(-1)?.customer} over time` }).locator('polyline');
  await expect.poll(async () => ((await points.getAttribute('points')) ?? '').split(' ').length).toBe(10);

  // The file has the order of the page, and calls without a customer are no customer that loses.
  expect(await visitor.download('CSV')).toEqual(
    rows
      .map(({ customer, revenue, cost, margin, margin_pct, risk_status }) => [
        ...[customer, revenue, cost, margin, revenue === 0 ? '' : margin_pct, customer === '' ? '' : risk_status],
        marginThen.get(customer) ?? '',
      ])
      .map((cells) => cells.join(',')),
  );
  await expectColumnsAndView();

  await window.getByRole('button', { name: 'Table' }).click();
  expect((await visitor.rows('Revenue, cost and margin by day')).map((cells) => cells.slice(1))).toEqual(
    overTime.map((row) => [row.revenue, row.cost, row.margin].map(toDollars)),
  );
  expect(visitor.faults).toEqual([]);
});

test('D25: customers of Credits and Shared costs are sorted, filtered by typing, and saved as they are shown', async () => {
  const { window } = visitor;
  for (const [path, table] of [
    ['/shared-costs', 'Margins with shared costs'],
    ['/credits', 'When the credits end'],
  ] as const) {
    await visitor.go(`${path}?${days}`);
    if (path === '/shared-costs') {
      const { pathname, searchParams } = await doorOf('Margin with shared costs');
      expect(pathname).toBe('/customers');
      expect(Object.fromEntries(searchParams)).toMatchObject({ from, to, shared: 'true' });
    }
    const card = window.getByRole('region', { name: table, exact: true }).first();
    await card.getByRole('button', { name: 'Revenue' }).click();
    await card.getByLabel('Filter the rows').fill('a');
    const shown = async () => (await visitor.rows(table)).map(([name = '', revenue = '']) => ({ name, revenue }));
    await expect.poll(async () => (await shown()).every(({ name }) => /a/i.test(name))).toBe(true);
    const rows = await shown();
    expect(rows.length).toBeGreaterThan(3);
    const revenues = rows.map(({ revenue }) => toCents(revenue));
    expect(revenues).toEqual(revenues.toSorted((a, b) => b - a));
    const file = await visitor.download('CSV', table);
    expect(file.map((line) => line.split(',')[0] || 'not attributed')).toEqual(rows.map(({ name }) => name));
    // A share of nothing is no number.
    expect(file.filter((line) => line.includes('-100'))).toEqual([]);
    await card.getByRole('button', { name: 'Columns' }).click();
    await window.getByRole('checkbox', { name: 'Revenue' }).uncheck();
    await window.keyboard.press('Escape');
    await expect.poll(() => card.getByRole('button', { name: 'Revenue' }).count()).toBe(0);
  }
  expect(visitor.faults).toEqual([]);
});

/** A table by its card, a column that orders it, and what is typed: of the first cells or others. */
const lists = [
  ['/credits?', 'Grants', 'Remaining', 'o'],
  ['/revenue?', 'Revenue entries', 'Amount', 'acme'],
  ['/prices?', 'Models seen', 'Input', 'gpt'],
  ['/customers/Northwind?models=["gpt-4o"]&', 'Newest runs', 'Cost', 'run'],
] as const;

test('a list of a project is sorted by any column, filtered by typing, saved as it is shown, and all of that has a link', async () => {
  const { window } = visitor;
  for (const [path, table, column, typed] of lists) {
    await visitor.go(path + days);
    const card = window.getByRole('region', { name: table, exact: true }).first();
    const all = await visitor.rows(table);
    await card.getByRole('button', { name: column, exact: true }).click();
    const place = (await card.getByRole('columnheader').allInnerTexts()).findIndex((title) => title.startsWith(column));
    const ordered = async () => (await visitor.rows(table)).map((cells) => toCents(cells[place] ?? ''));
    await expect.poll(async () => (await ordered()).toSorted((a, b) => b - a)).toEqual(await ordered());
    await card.getByLabel('Filter the rows').fill(typed);
    await expect
      .poll(async () => (await visitor.rows(table)).every((cells) => cells.join().toLowerCase().includes(typed)))
      .toBe(true);
    const rows = await visitor.rows(table);
    expect(rows.length).toBeLessThanOrEqual(all.length);
    expect(
      (await visitor.download('CSV', table)).map(
        (line) => Number(line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)[place]) * 100,
      ),
    ).toEqual((await ordered()).map((cents) => expect.closeTo(cents, 0)));
    // The least of these pages is loaded anew.
    if (table === 'Revenue entries') {
      await visitor.open(window.url());
      expect(await visitor.rows(table)).toEqual(rows);
    }
    await card.getByLabel('Filter the rows').fill('no such text');
    await card.getByText('No row has this text').waitFor();
  }
  // The picture of a chart says what it is of.
  await window.evaluate(`{
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
      if (!this.canvas.isConnected) document.body.dataset.drawn = (document.body.dataset.drawn ?? '') + '|' + text;
      fillText.call(this, text, ...place);
    };
  }`);
  const picture = window.waitForEvent('download');
  await window.getByRole('button', { name: 'PNG' }).click();
  await picture;
  const drawn = (await window.locator('body').getAttribute('data-drawn')) ?? '';
  expect(drawn).toContain('· Customer: Northwind · Model: gpt-4o ·');
  expect(drawn).toContain('|The days before');
  expect(visitor.faults).toEqual([]);
});

/** Columns are chosen, for the page and its file; the view is saved, has a link, and is found by its name. */
async function expectColumnsAndView(): Promise<void> {
  const { window } = visitor;
  const heads = async ({ window: shown }: Visitor) =>
    await shown.getByRole('region', { name: 'Margin by customer', exact: true }).locator('th').allInnerTexts();
  await window.getByRole('button', { name: 'Columns' }).click();
  await window.getByRole('checkbox', { name: 'Share of AI cost' }).check();
  for (const title of ['Revenue', 'Margin over time', 'Status']) {
    await window.getByRole('checkbox', { name: title, exact: true }).uncheck();
  }
  await window.keyboard.press('Escape');
  const chosen = ['Customer', 'AI cost', 'Share of AI cost', 'Margin ↑', 'Margin %', 'Margin before Change'];
  await expect.poll(() => heads(visitor)).toEqual(chosen);
  expect((await visitor.download('CSV'))[0]?.split(',')).toHaveLength(chosen.length);

  await window.getByRole('button', { name: 'Views' }).click();
  await window.getByLabel('Save this view as').fill('Who loses');
  await window.getByRole('button', { name: 'Save', exact: true }).click();
  await window.getByRole('button', { name: 'View: Who loses' }).waitFor();
  const other = await visit(browser, farthing, { as: demo.readOnlyKey });
  await other.open(window.url());
  await expect.poll(() => heads(other)).toEqual(chosen);
  expect(await other.window.getByRole('button', { name: 'View: Who loses' }).count()).toBe(1);
  expect(other.faults).toEqual([]);
  await other.close();

  // A change makes it another view; its name leads back to it.
  await window.getByRole('button', { name: 'AI cost', exact: true }).click();
  await window.getByRole('button', { name: 'Views' }).waitFor();
  await window.keyboard.press('Control+k');
  await window.getByRole('option', { name: 'Who loses' }).click();
  await window.getByRole('button', { name: 'View: Who loses' }).click();
  await expect.poll(() => heads(visitor)).toEqual(chosen);
  await window.getByRole('button', { name: 'Delete the view Who loses' }).click();
  await window.getByText('Saved under a name').waitFor();
  await window.keyboard.press('Escape');
}

test('a file of calls has all of them, not only the visible ones, and one call shows the lines that make its cost, and its events', async () => {
  await visitor.go(`/calls?${days}&features=${encodeURIComponent('["chat"]')}`);
  const all: z.output<typeof callRow>[] = [];
  let cursor: unknown = null;
  do {
    const page = await demo.ask('POST', '/api/calls/', {
      ...range,
      features: ['chat'],
      order: 'newest',
      limit: 1000,
      ...(cursor !== null && { cursor }),
    });
    all.push(...rowsOf(callRow).parse(page).rows);
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(all.length).toBeGreaterThan(100);
  expect(
    await visitor.window
      .getByRole('region', { name: 'Calls', exact: true })
      .locator('tbody tr:not([data-gap])')
      .count(),
  ).toBeLessThan(60);
  const cells = (await visitor.download('CSV')).map((line) => line.split(','));
  expect(cells.map((row) => [row[0], row[2], row[14]])).toEqual(
    all.map(({ event_id, time, cost }) => [event_id, time, String(cost)]),
  );
  await visitor.window.getByRole('button', { name: 'Time', exact: true }).click();
  const oldest = all.at(-1);
  await visitor.window.locator(`a[href*="${oldest?.event_id}"]`).first().waitFor();

  const calls = await demo.ask('POST', '/api/calls/', { ...range, models: ['gpt-4o'], features: ['agent'], limit: 1 });
  const { event_id: id } = z.object({ event_id: z.string() }).parse(z.array(z.unknown()).parse(calls.rows)[0]);
  const explained = z
    .object({ cost: z.number(), explanation: z.object({ lines: z.array(z.object({ amount: z.number() })) }) })
    .parse(await demo.ask('GET', `/api/calls/${id}/`));
  await visitor.window.getByLabel('The id of a call, or the name of a run').fill(id);
  await visitor.window.keyboard.press('Enter');
  const lines = await visitor.rows('How the cost was reached');
  const amounts = explained.explanation.lines.map(({ amount }) => amount);
  // All digits, and as many in each row.
  expect(lines.map((cells) => cells[3])).toEqual(amounts.map(toColumnDollars(amounts, true)));
  expect(lines.map((cells) => Number(cells[3]?.slice(1)))).toEqual(amounts);
  expect(lines.every((cells) => cells[4]?.includes('openai / gpt-4o'))).toBe(true);
  expect(await visitor.figure('Call cost')).toBe(toExactDollars(explained.cost));
  expect(await visitor.window.locator('pre').first().innerText()).toContain(id);

  await visitor.window.getByRole('link', { name: /^run-/ }).click();
  await visitor.window.getByRole('heading', { name: 'Calls over time' }).waitFor();
  expect(visitor.faults).toEqual([]);
});
