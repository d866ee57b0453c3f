import { setTimeout as pause } from 'node:timers/promises';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openChromium } from '../support/chromium.ts';
import { expectStatus, sharedFarthing } from '../support/client.ts';
import { isLong, someOf } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { once } from '../support/once.ts';
import { backgroundWithin, poll } from '../support/poll.ts';
import { type DemoProject, makeDemoProject } from './demo-project.ts';
import { type Visitor, type VisitorOptions, visit } from './visitor.ts';

const farthing = sharedFarthing();
let browser: Browser;
let revenue: DemoProject;
let visitor: Visitor;
const [wideWidth, narrowWidth] = [1_440, 390];
const height = 900;
const since = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  [browser, revenue] = await Promise.all([openChromium(), makeDemoProject(farthing, { type: 'revenue', days: 3 })]);
  await makeBudgetsAndAlerts();
  await makeInvoiceAndClose();
  await Promise.all([makeUnprofitable('Northwind'), putOnPlan('Lumen Legal', 'p'.repeat(1_024))]);
  visitor = await visitSlowly({ as: farthing.adminToken });
});
afterAll(() => visitor?.close());

const projects = {
  revenue: async () => revenue,
  empty: once(() => farthing.createProject({ name: 'Empty' })),
  internal: once(() => makeDemoProject(farthing, { type: 'internal', days: 3 })),
} satisfies Record<string, () => Promise<{ readonly id: string }>>;

const findCall = once(async () => {
  const calls = await revenue.ask('POST', '/api/calls/', { date_from: since, limit: 1 });
  return z.tuple([z.object({ event_id: z.string(), run: z.string() })]).parse(calls.rows)[0];
});

/** A plan whose prices are tried. */
const sheet = {
  plans: [
    {
      ...{ name: 'pro', customers: { customer_tags: { plan: ['pro'] } }, base_per_month: 34 },
      overage: { unit: 'calls', price: 0.01 },
    },
  ],
};

/** The paths of pages that are made first. */
const madePages: Readonly<Record<string, () => Promise<string>>> = {
  'a call': async () => `/calls/${(await findCall()).event_id}`,
  'a run': async () => `/runs/${(await findCall()).run}`,
  'an answer to what if': async () => {
    const body = { date_from: since, assume: { models: { 'gpt-4o': 'gpt-5-mini' } } };
    const asked = await farthing.send('POST', '/api/prices/reprice/', { body, token: revenue.key });
    const { id } = z.object({ id: z.string() }).parse(expectStatus(asked, 202));
    await poll('the answer is there', { within: backgroundWithin }, async () =>
      (await revenue.ask('GET', `/api/prices/reprices/${id}/`)).state === 'done' ? true : undefined,
    );
    return `/what-if?asked=${id}`;
  },
  'a plan that is tried': async () => `/plans?sheet=${encodeURIComponent(JSON.stringify(sheet))}`,
};

/** One budget for all calls and one for each customer, and an endpoint that gets alerts. */
async function makeBudgetsAndAlerts(): Promise<void> {
  const make = async (path: string, body: unknown) =>
    expectStatus(await farthing.send('POST', path, { body, token: revenue.key }), 201);
  await make('/api/budgets/', { name: 'All', amount: 10, period: 'month', thresholds: [50, 60, 100, 120] });
  await make('/api/provider-accounts/', { kind: 'openai', key: 'sk-admin-of-the-tests' });
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

/** A plan of a name that no line has room for. */
async function putOnPlan(customer: string, plan: string): Promise<void> {
  const body = { customers: [{ customer_name: customer, tags: { plan } }], upsert: true };
  expectStatus(await farthing.send('POST', '/api/customer-tags/', { body, token: revenue.key }), 200);
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
  '/shared-costs',
  '/plans',
  '/waste',
  '/report',
  '/budgets',
  '/alerts',
  '/reconciliation',
  '/closes',
  '/revenue',
  '/connect',
  '/settings',
  '/people',
  '/sign-in',
];

/** The limit of the layout shift while a page loads; browsers rate a sum of shifts up to 0.1 as good. */
const mostShift = 0.05;
/** How late answers and the font arrive, in milliseconds: on a fast machine they may come before anything is painted. */
const lateMs = 600;

/** A visitor who sees each page without its answers first. */
async function visitSlowly(options: VisitorOptions): Promise<Visitor> {
  const slow = await visit(browser, farthing, options);
  await slow.window.route(/\/api\/|\.woff2$/, async (route) => {
    await pause(lateMs);
    // A page that was left has no use for its answers.
    await route.continue().catch(() => undefined);
  });
  return slow;
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
/** What is found still after 60 frames: the page follows the size of its window a moment later. */
const listLasting = (read: string) => `(async () => {
  const read = ${read};
  let faults = read();
  for (let frame = 0; faults.length > 0 && frame < 60; frame += 1) {
    await new Promise(requestAnimationFrame);
    faults = read();
  }
  return faults;
})()`;

const readStretched = listLasting(`() => {
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
}`);

/** What is lost on a very wide screen: text in lines too long, and charts too flat. */
async function listStretched({ window }: Visitor): Promise<string[]> {
  await window.setViewportSize(veryWide);
  return await window.evaluate<string[]>(readStretched);
}

/** What opens over a page: where, and how. */
const overPages: readonly [name: string, path: string, open: (window: Visitor['window']) => Promise<void>][] = [
  ['the days', '/features', (window) => window.getByRole('button', { name: /^Days: / }).click()],
  [
    'the filters',
    '/features',
    async (window) => {
      // On a phone they are folded away.
      const folded = window.getByRole('button', { name: 'More choices' });
      if (await folded.isVisible()) await folded.click();
      await window.getByRole('button', { name: 'Filter' }).click();
    },
  ],
  [
    'the palette',
    '/settings',
    async (window) => {
      await window.keyboard.press('Control+k');
      await window.getByRole('combobox', { name: /^Go to/ }).fill('no');
      await window.getByRole('option', { name: 'Northwind' }).waitFor();
    },
  ],
  ['the form of a price', '/prices', (window) => window.getByRole('button', { name: 'Add a price' }).click()],
  [
    'the form of a budget',
    '/budgets',
    async (window) => {
      await window.getByRole('button', { name: 'Add a budget' }).click();
      await window.getByRole('dialog').getByRole('button', { name: 'Filter' }).click();
    },
  ],
];

const found = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

const readWider = listLasting(`() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const faults = scrollWidth > clientWidth ? ['it is wider than'] : [];
  for (const cell of document.querySelectorAll('main td')) {
    const isCut = getComputedStyle(cell).textOverflow === 'ellipsis' && cell.scrollWidth > cell.clientWidth + 1;
    // A name in the first cell loses its middle.
    if (isCut && (cell.cellIndex === 0 || (!cell.title && !cell.querySelector('[title]')))) faults.push('"' + cell.innerText.slice(0, 40) + '" is cut in');
  }
  return faults;
}`);

/** The findings of axe, and the widths at which the page is wider than the window, or cuts a name's end or a cell whose whole no title has. It stays in dark mode, and in the other width. */
async function listFaults({ window }: Visitor): Promise<string[]> {
  const faults = await listFindings(window);
  const first = window.viewportSize()?.width ?? wideWidth;
  for (const width of [first, first === wideWidth ? narrowWidth : wideWidth]) {
    if (width !== first) await window.setViewportSize({ width, height });
    const wider = await window.evaluate<string[]>(readWider);
    faults.push(...wider.map((fault) => `${fault} a window of ${width} px`));
  }
  return faults;
}

/** The findings of axe's usual rules in light mode, and then those of colours in dark mode, which differ in nothing else. */
async function listFindings(window: Visitor['window']): Promise<string[]> {
  await window.evaluate(axe.source);
  const inLight = found.parse(await window.evaluate("axe.run({ resultTypes: ['violations'] })"));
  await window.emulateMedia({ colorScheme: 'dark' });
  const inDark = found.parse(
    await window.evaluate("axe.run({ runOnly: ['color-contrast'], resultTypes: ['violations'] })"),
  );
  return [...inLight.violations, ...inDark.violations].map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`,
  );
}

/** The faults of a loaded page of a project. */
async function listPageFaults(path: string, project: string): Promise<string[]> {
  await visitor.open(`${path}${path.includes('?') ? '&' : '?'}project=${project}&range=7d`);
  // Before the window has another size, which shifts the layout too.
  const shifted = await visitor.window.evaluate<number>(readShift);
  const faults = shifted > mostShift ? [`its layout shifts by ${shifted.toFixed(3)}`] : [];
  faults.push(...(await listFaults(visitor)));
  faults.push(...(await listStretched(visitor)).map((fault) => `at 2560 px: ${fault}`));
  return faults.map((fault) => `${path}: ${fault}`);
}

/** An empty window of this width in light mode: the page before would be laid out and painted anew for nothing. */
async function prepareWindow(width: number): Promise<void> {
  const { window } = visitor;
  await window.goto('about:blank');
  await window.setViewportSize({ width, height });
  await window.emulateMedia({ colorScheme: 'light' });
}

/**
 * The faults in a wide and in a narrow window. In the usual form the page is loaded in one of them, which then has the
 * other's width for a moment.
 */
async function listFaultsOf(place: number, list: () => Promise<string[]>): Promise<string[]> {
  const faults: string[] = [];
  for (const [index, width] of [wideWidth, narrowWidth].entries()) {
    if (!isLong && index !== place % 2) continue;
    await prepareWindow(width);
    faults.push(...(await list()));
  }
  return [...faults, ...visitor.faults];
}

longTest('the sign-in is accessible and fits the window', async () => {
  const stranger = await visitSlowly({});
  await stranger.window.goto('/');
  await stranger.window.getByLabel('API key or admin token').waitFor();
  expect([...(await listFaults(stranger)), ...stranger.faults]).toEqual([]);
  await stranger.close();
});

test.each(someOf(overPages, 1))('%s, over %s, is accessible and fits the window', async (name, path, open) => {
  const place = overPages.findIndex((one) => one[0] === name);
  const list = async () => {
    await visitor.open(`${path}?project=${revenue.id}&range=7d`);
    await open(visitor.window);
    return await listFaults(visitor);
  };
  expect(await listFaultsOf(place, list)).toEqual([]);
});

const opened = [
  ...pages.map((path) => [path, 'revenue'] as const),
  ['a call', 'revenue'],
  ['a run', 'revenue'],
  ['an answer to what if', 'revenue'],
  ['a plan that is tried', 'revenue'],
  ['/', 'empty'],
  ['/customers', 'empty'],
  ['/', 'internal'],
  ['/users', 'internal'],
  ['/users/ann', 'internal'],
] as const;

test.each(someOf(opened, 3))(
  '%s of a project (%s), narrow, wide and very wide, light and dark, is accessible, fits the window, does not shift, and calls no other host',
  async (page, kind) => {
    const path = (await madePages[page]?.()) ?? page;
    const { id } = await projects[kind]();
    const place = opened.findIndex((one) => one[0] === page && one[1] === kind);
    expect(await listFaultsOf(place, () => listPageFaults(path, id))).toEqual([]);
  },
);

longTest('the keyboard reaches the page and its parts, and the focus is visible', async () => {
  const { window } = visitor;
  await prepareWindow(wideWidth);
  await visitor.open(`/features?project=${revenue.id}`);
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
});
