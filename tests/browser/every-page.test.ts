import { setTimeout as pause } from 'node:timers/promises';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openChromium } from '../support/chromium.ts';
import { expectStatus, sharedFarthing } from '../support/client.ts';
import { isLong, seed } from '../support/effort.ts';
import { type DemoProject, makeDemoProject } from './demo-project.ts';
import { type Visitor, visit } from './visitor.ts';

const farthing = sharedFarthing();
let browser: Browser;
let revenue: DemoProject;
let internal: DemoProject;
let empty: { readonly id: string };
/** The pages of one call and of one run. */
let ofOneCall: { readonly call: string; readonly run: string };
/** The page of a dry run that answers what if. */
let answer: string;
/** One with a wide window, and one with a narrow one. */
let visitors: readonly Visitor[] = [];
const [wideWidth, narrowWidth] = [1_440, 390];

beforeAll(async () => {
  [browser, empty, revenue, internal] = await Promise.all([
    openChromium(),
    farthing.createProject({ name: 'Empty' }),
    makeDemoProject(farthing, { type: 'revenue', days: 3 }),
    makeDemoProject(farthing, { type: 'internal', days: 3 }),
  ]);
  const since = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
  const calls = await revenue.ask('POST', '/api/calls/', { date_from: since, limit: 1 });
  const [call] = z.array(z.object({ event_id: z.string(), run: z.string() })).parse(calls.rows);
  await makeBudgetsAndAlerts();
  await makeInvoiceAndClose();
  await makeUnprofitable('Northwind');
  const { id } = expectStatus(
    await farthing.send('POST', '/api/prices/reprice/', {
      body: { date_from: since, assume: { models: { 'gpt-4o': 'gpt-5-mini' } } },
      token: revenue.key,
    }),
    202,
  ) as { id: string };
  answer = `/what-if?asked=${id}`;
  ofOneCall = { call: `/calls/${call?.event_id}`, run: `/runs/${call?.run}` };
  visitors = await Promise.all([wideWidth, narrowWidth].map(visitSlowly));
  await Promise.all(visitors.map((visitor) => visitor.signIn(farthing.adminToken)));
});
afterAll(() => Promise.all(visitors.map((visitor) => visitor.close())));

/** One budget for all calls and one for each customer, and an endpoint that gets alerts. */
async function makeBudgetsAndAlerts(): Promise<void> {
  const make = async (path: string, body: unknown) =>
    expectStatus(await farthing.send('POST', path, { body, token: revenue.key }), 201);
  await make('/api/budgets/', { name: 'All', amount: 10, period: 'month', thresholds: [50, 60, 100, 120] });
  await make('/api/budgets/', { name: 'Customers', amount: 1, period: 'month', each: 'customer' });
  await make('/api/notification-endpoints/', {
    kind: 'webhook',
    url: 'https://farthing.invalid/',
    alerts: ['no_events'],
  });
}

/** An invoice that charges more than was computed, and a close with a drift. */
async function makeInvoiceAndClose(): Promise<void> {
  const make = async (path: string, body: unknown) =>
    expectStatus(await farthing.send('POST', path, { body, token: revenue.key }), 201);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const entry = { external_id: 'an invoice', provider: 'openai', date_from: yesterday, amount: 1_000, kind: 'usage' };
  await make('/api/invoices/', { entries: [entry] });
  await make('/api/closes/', { through: yesterday });
  const refund = { external_id: 'a late refund', customer: 'Northwind', amount: -1, date_from: yesterday };
  expectStatus(await farthing.send('POST', '/api/revenue/', { body: { entries: [refund] }, token: revenue.key }), 200);
}

/** The page of customers says how many of them are unprofitable, in a place that must be free for it. */
async function makeUnprofitable(customer: string): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const entries = [{ external_id: 'a refund', customer, amount: -1_000_000, date_from: day }];
  expectStatus(await farthing.send('POST', '/api/revenue/', { body: { entries }, token: revenue.key }), 200);
}

const pages = [
  '/',
  '/customers',
  '/customers/Northwind',
  '/features',
  '/models?by=provider',
  '/calls',
  '/live',
  '/prices',
  '/credits',
  '/waste',
  '/report',
  '/budgets',
  '/alerts',
  '/reconciliation',
  '/closes',
  '/revenue',
  '/connect',
  '/settings',
];

/** The limit of the layout shift while a page loads; browsers rate a sum of shifts up to 0.1 as good. */
const mostShift = 0.05;
/** How late answers and the font arrive, in milliseconds: on a fast machine they may come before anything is painted. */
const lateMs = 600;

/** A visitor who sees each page without its answers first. */
async function visitSlowly(width: number): Promise<Visitor> {
  const visitor = await visit(browser, farthing, { width });
  await visitor.window.route(/\/api\/|\.woff2$/, async (route) => {
    await pause(lateMs);
    // A page that was left has no use for its answers.
    await route.continue().catch(() => undefined);
  });
  return visitor;
}

const readShift = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    resolve(list.getEntries().reduce((sum, entry) => sum + (entry.hadRecentInput ? 0 : entry.value), 0));
  }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve(0), 50);
})`;

const veryWide = { width: 2_560, height: 1_440 };
/** The longest line of text that is easily read, and the flattest chart, as width by height. */
const [longestLine, flattest] = [1_000, 4.5];
const readStretched = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const faults = scrollWidth > clientWidth ? ['it is wider than the window'] : [];
  for (const text of document.querySelectorAll('main p')) {
    if (getComputedStyle(text).display !== 'block') continue;
    const line = document.createRange();
    line.selectNodeContents(text);
    if (line.getBoundingClientRect().width > ${longestLine}) faults.push('a long line: ' + text.textContent.slice(0, 80));
  }
  for (const chart of document.querySelectorAll('main canvas')) {
    if (chart.clientWidth > ${flattest} * chart.clientHeight) faults.push('a flat chart');
  }
  return faults;
})()`;

/** What is lost on a very wide screen: text in lines too long, and charts too flat. The page keeps its state. */
async function listStretched({ window }: Visitor): Promise<string[]> {
  const size = window.viewportSize();
  await window.setViewportSize(veryWide);
  const faults = await window.evaluate<string[]>(readStretched);
  if (size) await window.setViewportSize(size);
  return faults;
}

/** The faults of what opens over a page: the days, the filters and a form. */
async function listDialogFaults(visitor: Visitor): Promise<string[]> {
  const { window } = visitor;
  const faults: string[] = [];
  await visitor.open(`/?project=${revenue.id}&range=7d`);
  for (const name of [/^Days: /, 'Filter']) {
    await window.getByRole('button', { name }).click();
    faults.push(...(await listFaults(visitor)).map((fault) => `${name}: ${fault}`));
    await window.keyboard.press('Escape');
  }
  await window.keyboard.press('Control+k');
  await window.getByRole('combobox', { name: /^Go to/ }).fill('no');
  await window.getByRole('option', { name: 'Northwind' }).waitFor();
  faults.push(...(await listFaults(visitor)).map((fault) => `the palette: ${fault}`));
  await visitor.open(`/prices?project=${revenue.id}`);
  await window.getByRole('button', { name: 'Add a price' }).click();
  faults.push(...(await listFaults(visitor)).map((fault) => `a form: ${fault}`));
  await visitor.open(`/budgets?project=${revenue.id}`);
  await window.getByRole('button', { name: 'Add a budget' }).click();
  await window.getByRole('dialog').getByRole('button', { name: 'Filter' }).click();
  faults.push(...(await listFaults(visitor)).map((fault) => `the form of a budget: ${fault}`));
  return faults;
}

const found = z.object({
  violations: z.array(
    z.object({ id: z.string(), impact: z.string().nullable(), nodes: z.array(z.object({ html: z.string() })) }),
  ),
});

const readIsWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

/** The findings of axe, and the widths at which the page is wider than the window, which keeps its size. */
async function listFaults({ window }: Visitor): Promise<string[]> {
  const faults = await listFindings(window);
  const size = window.viewportSize() ?? { width: wideWidth, height: 900 };
  for (const width of [wideWidth, narrowWidth]) {
    await window.setViewportSize({ ...size, width });
    if (await window.evaluate(readIsWider)) faults.push(`it is wider than a window of ${width} px`);
  }
  await window.setViewportSize(size);
  return faults;
}

/** The serious findings of axe in light mode, and those of colours in dark mode, which differ in nothing else. */
async function listFindings(window: Visitor['window']): Promise<string[]> {
  await window.evaluate(axe.source);
  const inLight = found.parse(await window.evaluate("axe.run({ resultTypes: ['violations'] })"));
  await window.emulateMedia({ colorScheme: 'dark' });
  const inDark = found.parse(
    await window.evaluate("axe.run({ runOnly: ['color-contrast'], resultTypes: ['violations'] })"),
  );
  await window.emulateMedia({ colorScheme: 'light' });
  return [...inLight.violations, ...inDark.violations]
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`);
}

/** The faults of a loaded page of a project. */
async function listPageFaults(visitor: Visitor, path: string, project: string): Promise<string[]> {
  await visitor.open(`${path}${path.includes('?') ? '&' : '?'}project=${project}&range=7d`);
  // Before the window has other sizes, which shift the layout too.
  const shifted = await visitor.window.evaluate<number>(readShift);
  const faults = shifted > mostShift ? [`its layout shifts by ${shifted.toFixed(3)}`] : [];
  faults.push(...(await listFaults(visitor)));
  faults.push(...(await listStretched(visitor)).map((fault) => `at 2560 px: ${fault}`));
  return faults.map((fault) => `${path}: ${fault}`);
}

/**
 * The faults that both visitors find, in parallel. In the usual form one of them looks, who has the other's width for a moment
 * too; the seed chooses, so every page is loaded in a narrow window in half of the runs.
 */
async function listFaultsOf(place: number, list: (visitor: Visitor) => Promise<string[]>): Promise<string[]> {
  const looking = visitors.filter((_visitor, index) => isLong || index === (place + seed) % visitors.length);
  return (await Promise.all(looking.map(async (visitor) => [...(await list(visitor)), ...visitor.faults]))).flat();
}

test('the sign-in is accessible and fits the window', async () => {
  const visitor = await visitSlowly(wideWidth);
  await visitor.window.goto('/');
  await visitor.window.getByLabel('API key or admin token').waitFor();
  expect([...(await listFaults(visitor)), ...visitor.faults]).toEqual([]);
  await visitor.close();
});

test('the dialogs and a form are accessible and fit the window', async () => {
  expect(await listFaultsOf(0, listDialogFaults)).toEqual([]);
});

const opened = [
  ...pages.map((path) => [path, 'revenue'] as const),
  ['a call', 'revenue'],
  ['a run', 'revenue'],
  ['an answer to what if', 'revenue'],
  ['/', 'empty'],
  ['/customers', 'empty'],
  ['/', 'internal'],
  ['/users', 'internal'],
  ['/users/ann', 'internal'],
] as const;

test.each(opened)(
  '%s of a project (%s), narrow, wide and very wide, light and dark, is accessible, fits the window, does not shift, and calls no other host',
  async (page, kind) => {
    const path =
      { 'a call': ofOneCall.call, 'a run': ofOneCall.run, 'an answer to what if': answer }[page as string] ?? page;
    const { id } = { revenue, empty, internal }[kind];
    const place = opened.findIndex((one) => one[0] === page && one[1] === kind);
    expect(await listFaultsOf(place, (visitor) => listPageFaults(visitor, path, id))).toEqual([]);
  },
);

test('the keyboard reaches the page and its parts, and the focus is visible', async () => {
  const visitor = await visit(browser, farthing);
  await visitor.signIn(revenue.key);
  await visitor.open('/');
  const { window } = visitor;
  await window.keyboard.press('Tab');
  expect(await window.evaluate('document.activeElement.textContent')).toBe('Skip to the page');
  await window.keyboard.press('Enter');
  await window.keyboard.press('Tab');
  expect(await window.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
  expect(await window.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  await window.getByRole('button', { name: 'Filter' }).focus();
  await window.keyboard.press('Enter');
  await window.getByLabel('Search: Customer').waitFor();
  await window.keyboard.press('Escape');
  expect(await window.getByLabel('Search: Customer').count()).toBe(0);
  expect(await window.evaluate('document.activeElement.textContent')).toBe('Filter');
  await visitor.close();
});
