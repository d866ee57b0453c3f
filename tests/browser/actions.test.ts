import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { wayLabels } from '../../dashboard/src/connect/ways.ts';
import { toDay } from '../../dashboard/src/lib/format.ts';
import { openChromium } from '../support/chromium.ts';
import { expectStatus, type Json, onceCaughtUp, type Project, sharedFarthing, tokenEvent } from '../support/client.ts';
import { someOf } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { addDays, dayOf } from '../support/model.ts';
import { noon } from '../support/noon.ts';
import { once } from '../support/once.ts';
import { type Visitor, visit } from './visitor.ts';

const farthing = sharedFarthing();
let browser: Browser;
let admin: Visitor;
/** Made before the page is open, which then knows them: a test goes to its own without loading the page anew. */
let projects: Record<'empty' | 'sharing' | 'earning' | 'internal' | 'priced' | 'settled', Project>;

beforeAll(async () => {
  browser = await openChromium();
  const make = (fields: Json = {}) => farthing.createProject({ ...here, ...fields });
  projects = {
    empty: await make({ name: 'Empty' }),
    sharing: await make(),
    earning: await make(),
    internal: await make({ type: 'internal' }),
    priced: await make(),
    settled: await make({ name: 'To be deleted' }),
  };
  admin = await visit(browser, farthing, { as: farthing.adminToken });
});
afterAll(() => admin?.close());

/** The page shows the days up to today. In a timezone where it is noon, no midnight can fall between an event and the check. */
const here = { timezone: noon.timezone };
const now = () => new Date().toISOString();
const today = dayOf(Date.now(), noon.timezone);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

test('a wrong key shows an error; signing out ends the session; the browser keeps no secret', async () => {
  const project = await farthing.createProject();
  const visitor = await visit(browser, farthing);
  const { window } = visitor;
  await window.goto('/');
  await window.getByLabel('API key or admin token').fill('fk_wrong');
  await window.getByRole('button', { name: 'Sign in' }).click();
  await window.getByText('The API key is not valid; send a valid one.').waitFor();
  await window.getByLabel('API key or admin token').fill('wrong');
  await window.getByRole('button', { name: 'Sign in' }).click();
  await window.getByText('This is neither a valid API key nor the admin token.').waitFor();
  await window.getByLabel('API key or admin token').fill('fs_secret');
  await window.getByText('This is the secret of a client').waitFor();
  expect(await window.getByRole('button', { name: 'Sign in' }).isDisabled()).toBe(true);

  await visitor.signIn(project.apiKey);
  const kept = String(
    await window.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])'),
  );
  expect(kept).not.toContain(project.apiKey.slice(3));
  // If the request to sign out fails, the page must not say that the session has ended.
  await visitor.context.setOffline(true);
  await window.getByRole('button', { name: 'Sign out' }).click();
  await window.getByText('The service cannot be reached.').waitFor();
  expect((await visitor.context.request.get('/session/')).status()).toBe(200);
  await visitor.context.setOffline(false);
  await window.getByRole('button', { name: 'Sign out' }).click();
  await window.getByLabel('API key or admin token').waitFor();
  const session = await visitor.context.request.get('/session/');
  expect(session.status()).toBe(401);
  await visitor.close();
});

test('D25: an empty project leads to Connect, where the first event shows its cost and its explanation without a reload', async () => {
  const project = projects.empty;
  const { window } = admin;
  await admin.go(`/waste?project=${project.id}`);
  expect(await window.getByRole('button', { name: 'CSV' }).isDisabled()).toBe(true);
  await window.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' }).click();
  await window.getByRole('heading', { name: 'Connect' }).waitFor();
  await window.getByText('waiting for the first event').waitFor();
  await window.getByRole('button', { name: 'Make a client' }).click();
  await window.evaluate('window.isSameWindow = true');
  const [clientId, secret] = await readMadeClient();
  // Every way has this client in its lines, and no placeholder.
  for (const way of Object.values(wayLabels)) {
    await window.getByRole('button', { name: way, exact: true }).click();
    const shown = (await window.locator('figure pre').allInnerTexts()).join('\n');
    expect(shown).toContain(clientId);
    expect(shown).toContain(secret);
    expect(shown).toContain(new URL(farthing.url).host);
    expect(shown).not.toMatch(/\$CLIENT/);
  }
  // curl is the last one.
  const shown = await window.locator('figure pre').first().innerText();
  const [, body] = /-d '(.+)'/.exec(shown) ?? [];
  expectStatus(await farthing.send('POST', `/intake/${clientId}/`, { raw: body ?? '', token: secret }), 200);
  await window.getByText('the event has arrived').waitFor();
  // 412 × 2.5 / 10⁶ + 87 × 10 / 10⁶
  await expect.poll(() => window.locator('[data-figure="First call"]').innerText()).toBe('$0.0019');
  expect(await window.locator('[data-figure="Call cost"]').innerText()).toBe('$0.0019');
  await window.getByRole('link', { name: 'Overview' }).click();
  await window.getByRole('heading', { name: 'Costs' }).waitFor();
  await expect.poll(() => admin.figure('AI cost')).toBe('$0.0019');
  // The overview explains the number that it shows.
  await expect.poll(() => admin.figure('Call cost')).toBe('$0.0019');
  // Nor does the page wait for the first event where that was faster.
  await window.getByRole('link', { name: 'Connect' }).click();
  await window.getByText('the event has arrived').waitFor();
  expect(await window.evaluate('window.isSameWindow')).toBe(true);
  expect(admin.faults).toEqual([]);
});

longTest('D25: a project whose events have expired has its overview all the same', async () => {
  const project = await farthing.createProject({ ...here, name: 'Expired' });
  await project.post(tokenEvent({ model: 'gpt-4o', input_tokens: 412, output_tokens: 87, timestamp: now() }));
  const { window } = admin;
  // Events expire after months: here the page is told that there are none.
  await window.route(/\/api\/events\//, (route) =>
    route.fulfill({ json: { rows: [], next_cursor: null, has_more: false } }),
  );
  await admin.open(`/?project=${project.id}`);
  await expect.poll(() => admin.figure('AI cost')).toBe('$0.0019');
  const providers = window.waitForResponse(/\/api\/providers\//);
  await window.reload();
  await providers;
  await expect.poll(() => admin.figure('AI cost')).toBe('$0.0019');
  expect(new URL(window.url()).pathname).toBe('/');
  await window.unroute(/\/api\/events\//);
});

/** The client that Connect made, from the lines of the first way. */
async function readMadeClient(): Promise<[clientId: string, secret: string]> {
  const { window } = admin;
  await expect.poll(() => window.locator('pre').first().innerText()).toMatch(/fs_\w{20}/);
  const shown = await window.locator('pre').first().innerText();
  const [, clientId = ''] = /FARTHING_CLIENT_ID="([^"]+)"/.exec(shown) ?? [];
  const [, secret = ''] = /(fs_\w+)/.exec(shown) ?? [];
  return [clientId, secret];
}

/** The number of calls that the API answers for a project. */
async function countCalls(project: string, from: string, to: string): Promise<number> {
  const answer = await onceCaughtUp(() =>
    farthing.send('POST', '/api/usage/', {
      body: { date_from: from, date_to: to, aggregate: 'all' },
      token: farthing.adminToken,
      headers: { 'farthing-project': project },
    }),
  );
  const { rows } = z.object({ rows: z.tuple([z.object({ calls: z.number() })]) }).parse(expectStatus(answer, 200));
  return rows[0].calls;
}

longTest('a button loads the demo data as a project of its own and then shows it', async () => {
  const empty = await farthing.createProject({ name: 'Empty' });
  const begun = dayOf(Date.now(), 'UTC');
  const { window } = admin;
  await admin.open(`/?project=${empty.id}`);
  await window.getByRole('button', { name: 'Load the demo data' }).click();
  await window.waitForURL((url) => url.searchParams.get('project') !== empty.id, { timeout: 60_000 });
  const project = new URL(window.url()).searchParams.get('project') ?? '';
  expect(await window.getByRole('combobox', { name: 'Project' }).locator('option:checked').innerText()).toBe('Demo');
  // The page shows the last four weeks. If midnight came after the click, the last of them is the day after it.
  const shown = await Promise.all([begun, addDays(begun, 1)].map((day) => countCalls(project, addDays(day, -27), day)));
  expect(Math.min(...shown)).toBeGreaterThan(1_000);
  const texts = shown.map((calls) => calls.toLocaleString('en-US'));
  await expect.poll(async () => texts.includes(await admin.figure('Calls'))).toBe(true);
  expect(admin.faults).toEqual([]);
});

longTest('tags of a customer of any name are set and deleted', async () => {
  const customer = 'a/b & c';
  const project = await farthing.createProject(here);
  await project.post(tokenEvent({ timestamp: now(), cost: 1, tags: { customer } }));
  await project.tag({ customer_name: customer, tags: { plan: 'pro' } });
  const { window } = admin;
  await admin.open(`/customers?project=${project.id}`);
  await window.getByRole('link', { name: customer }).click();
  await window.getByLabel('Key', { exact: true }).fill('region');
  await window.getByLabel('Value').fill('eu');
  await window.getByRole('button', { name: 'Set the tag' }).click();
  await window.getByRole('button', { name: 'Delete the tag region' }).waitFor();
  await window.getByRole('button', { name: 'Delete the tag plan' }).click();
  await expect.poll(() => window.getByRole('button', { name: 'Delete the tag plan' }).count()).toBe(0);
  const customers = await project.api('GET', '/api/customers/');
  expect(z.object({ rows: z.array(z.object({ tags: z.unknown() })) }).parse(customers.body).rows[0]?.tags).toEqual({
    region: 'eu',
  });

  // A filter set on another page can't be removed on this one, so it must not hide the customer's calls.
  const others = encodeURIComponent(JSON.stringify({ plan: ['free'] }));
  await admin.open(`/customers/${encodeURIComponent(customer)}?project=${project.id}&ctags=${others}`);
  expect((await admin.rows('Calls')).map((cells) => cells[1])).toEqual(['$1.00']);
  expect(admin.faults).toEqual([]);
});

test('D31, D25: a shared cost is added, shows what falls to whom and what stays unallocated, and is deleted', async () => {
  const project = projects.sharing;
  await project.post(tokenEvent({ timestamp: now(), cost: 1, prompt_tokens: 5, tags: { customer: 'acme' } }));
  const { window } = admin;
  await admin.go(`/shared-costs?project=${project.id}`);
  await window.getByText('No shared cost on these days').waitFor();
  const add = async (fields: Readonly<Record<string, string>>) => {
    await window.getByRole('button', { name: 'Add a shared cost' }).click();
    const dialog = window.getByRole('dialog');
    for (const [label, text] of Object.entries(fields)) await dialog.getByLabel(label).fill(text);
    await dialog.getByRole('button', { name: 'Add it' }).click();
    await dialog.waitFor({ state: 'hidden' });
  };
  await add({ Name: 'GPU', 'Amount, USD': '3.000000000001' });
  await add({ Name: 'Idle GPU', 'Amount, USD': '2', 'Models (default: all)': 'm7, m8' });
  await expect.poll(() => admin.figure('Cost with shared costs')).toBe('$6.00');
  await expect.poll(() => admin.figure('Unallocated')).toBe('$2.00');
  const listed = async () => (await admin.rows('Shared costs')).map((cells) => [cells[0], cells[2], cells[5]]).sort();
  await expect.poll(listed).toEqual([
    ['GPU\nall calls', '$3.00', '$0.00'],
    ['Idle GPU\nm7, m8', '$2.00', '$2.00'],
  ]);
  const ofAcme = async () => {
    const rows = await admin.rows('Margins with shared costs');
    return rows.find(([name]) => name?.startsWith('acme'))?.slice(1, 5);
  };
  await expect.poll(ofAcme).toEqual(['$0.00', '$3.00', '$4.00', '−$4.00']);
  // What only deleted calls could tell is not in the figure.
  const allocation = /\/api\/shared-cost-allocation\//;
  await window.route(allocation, async (route) => {
    const response = await route.fetch();
    const told = z.object({ shared_costs: z.array(z.looseObject({})) }).parse(await response.json()).shared_costs;
    const untold = { unallocated: null, unallocated_days: null };
    const json = { shared_costs: told.map((one) => (one.name === 'GPU' ? { ...one, ...untold } : one)) };
    await route.fulfill({ response, json });
  });
  await admin.refresh();
  await window.getByText('at least: calls that it needs are deleted').waitFor();
  expect(await admin.figure('Unallocated')).toBe('$2.00');
  await window.unroute(allocation);
  for (const name of ['GPU', 'Idle GPU']) {
    const remove = window.getByRole('button', { name: new RegExp(`Delete the shared cost ${name}$`) });
    await remove.click();
    await remove.click();
    await remove.waitFor({ state: 'hidden' });
  }
  await window.getByText('No shared cost on these days').waitFor();
  expect((await project.api('GET', '/api/shared-costs/')).body).toMatchObject({ rows: [] });
});

test('revenue of a customer is stored as entered, changes its margin, and is deleted', async () => {
  const project = projects.earning;
  await project.post(tokenEvent({ timestamp: now(), cost: 1, tags: { customer: 'acme' } }));
  const { window } = admin;
  await admin.go(`/customers/acme?project=${project.id}`);
  await window.getByText('No revenue on these days', { exact: true }).waitFor();
  await window.getByRole('button', { name: 'Add revenue' }).click();
  const dialog = window.getByRole('dialog');
  await dialog.getByLabel('Amount, USD').fill('4,00');
  await dialog.getByRole('button', { name: 'Add it' }).click();
  await dialog.getByRole('alert').getByText('Amount, USD', { exact: true }).waitFor();
  await dialog.getByLabel('Amount, USD').fill('4.000000000001');
  await dialog.getByLabel('Your id').fill('invoice/7');
  await dialog.getByRole('button', { name: 'Add it' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await expect.poll(() => admin.figure('Margin')).toBe('$3.00');
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
  const shown = day.format(Date.parse(today));
  expect((await admin.rows('Revenue entries')).map((cells) => cells.slice(0, 4))).toEqual([
    ['invoice/7', '$4.00', shown, shown],
  ]);
  const stored = await project.api('GET', '/api/revenue/');
  expect(stored.text).toContain('"amount":4.000000000001');
  // The page of all revenue has it under its customer.
  await admin.go(`/revenue?project=${project.id}`);
  expect((await admin.rows('Revenue entries')).map((cells) => cells.slice(0, 5))).toEqual([
    ['acme', '$4.00', 'invoice/7', shown, shown],
  ]);

  const remove = window.getByRole('button', { name: 'Delete the revenue entry invoice/7' });
  await remove.click();
  await remove.click();
  await window.getByText('No revenue on these days').waitFor();
  expect((await project.api('GET', '/api/revenue/')).body).toMatchObject({ rows: [] });

  // The browser logs the 400 for the amount with a comma.
  expect(admin.faults.filter((fault) => !fault.includes('status of 400'))).toEqual([]);
  admin.forgetFaults();
});

/** What a page shows to a reader, and the names of the buttons that only others see. */
const controls: readonly [path: string, shown: string, hidden: RegExp][] = [
  ['/customers/acme', 'region', /the tag|Add revenue/],
  ['/prices', 'Models seen', /Add a price|Preview/],
  ['/budgets', 'No budget yet', /Add a budget/],
  ['/alerts', 'Nowhere yet', /Change|Add/],
];

test('a read-only key sees no controls for what it may not change', async () => {
  const project = await farthing.createProject(here);
  await project.post(tokenEvent({ timestamp: now(), cost: 1, tags: { customer: 'acme' } }));
  await project.tag({ customer_name: 'acme', tags: { region: 'eu' } });
  const key = await project.createKey({ scopes: ['read'] });
  const reader = await visit(browser, farthing, { as: key.api_key });
  for (const [path, shown, hidden] of someOf(controls, 2)) {
    await reader.go(path);
    await reader.window.getByText(shown).first().waitFor();
    expect(await reader.window.getByRole('button', { name: hidden }).count()).toBe(0);
    expect(
      await reader.window.getByRole('switch', { disabled: false, name: /^(?!Days before|After credits)/ }).count(),
    ).toBe(0);
  }
  expect(reader.faults).toEqual([]);
  await reader.close();
});

longTest('D25: a user’s page has causes, features, runs and calls as a customer’s has, and its tags', async () => {
  const project = await farthing.createProject({ ...here, type: 'internal' });
  await project.post(tokenEvent({ timestamp: now(), cost: 2, tags: { user: 'ann' } }));
  await project.post({ event_id: randomUUID(), event_type: 'ticket.solved', tags: { user: 'ann' } });
  await project.keyMetric('tickets', { event_type: 'ticket.solved', aggregation: 'count' });
  const { window } = admin;
  await admin.open(`/users?project=${project.id}`);
  await window.getByRole('link', { name: 'ann' }).click();
  await expect.poll(() => admin.figure('Cost per tickets')).toBe('$2.00');
  await expect
    .poll(async () => (await admin.rows('features')).map((cells) => cells.slice(0, 2)))
    .toEqual([['not attributed', '$2.00']]);
  await expect.poll(async () => (await admin.rows('Newest runs')).map((cells) => cells.at(-1))).toEqual(['$2.00']);
  await expect.poll(async () => (await admin.rows('Calls')).map((cells) => cells[1])).toEqual(['$2.00']);
  await window.locator('[data-figure="AI cost"]').getByRole('link').click();
  await window.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
  await expect.poll(async () => (await admin.rows('Calls')).map((cells) => cells[1])).toEqual(['$2.00']);
  // What only projects with revenue have is no page of this one.
  await window.goto(`/plans?project=${project.id}`);
  await window.getByText('There is no such page').waitFor();
  await admin.open(`/users/ann?project=${project.id}`);
  await window.getByLabel('Key', { exact: true }).fill('team');
  await window.getByLabel('Value').fill('support');
  await window.getByRole('button', { name: 'Set the tag' }).click();
  await window.getByRole('button', { name: 'Delete the tag team' }).waitFor();
  const tagsOfUsers = async () =>
    z
      .object({ rows: z.array(z.object({ tags: z.unknown() })) })
      .parse((await project.api('GET', '/api/users/')).body)
      .rows.map(({ tags }) => tags);
  expect(await tagsOfUsers()).toEqual([{ team: 'support' }]);
  // Each row by tag has the cost that its own days before have.
  await project.post(
    tokenEvent({ timestamp: daysAgo(2), cost: 4, tags: { user: 'ann' } }),
    tokenEvent({ timestamp: daysAgo(9), cost: 1, tags: { user: 'ann' } }),
    tokenEvent({ timestamp: daysAgo(9), cost: 7, tags: { user: 'ben' } }),
  );
  await admin.open(`/users?project=${project.id}&range=7d&by=user_tag:team`);
  await expect
    .poll(async () => (await admin.rows('By user')).map((cells) => cells.slice(0, 3)))
    .toEqual([['support', '$6.00', '$1.00\n+300.0%\n→ $4.00']]);
  await admin.open(`/users/ann?project=${project.id}`);
  await window.getByRole('button', { name: 'Delete the tag team' }).click();
  await window.getByText('No tags yet.').waitFor();
  expect(await tagsOfUsers()).toEqual([{}, {}]);
  expect(admin.faults).toEqual([]);
});

test('D25: the overview of an internal project splits costs by user, names whose the change is, and leads to them', async () => {
  const project = projects.internal;
  const call = (days: number, user: string, cost: number, feature: string) =>
    tokenEvent({ timestamp: daysAgo(days), cost, tags: { user, feature } });
  for (const name of ['tickets', 'answers', 'reviews'])
    await project.keyMetric(name, { event_type: `${name}.done`, aggregation: 'count' });
  await project.post(call(9, 'ann', 2, 'chat'), call(9, 'ben', 1, 'chat'));
  await project.post(call(2, 'ann', 12, 'agent'), call(2, 'ann', 1, 'chat'), call(2, 'ben', 1, 'chat'));
  const { window } = admin;
  await admin.go(`/?project=${project.id}&range=7d`);
  for (const name of ['tickets', 'answers', 'reviews'])
    await window.locator(`[data-figure="Cost per ${name}"]`).waitFor();
  await window.getByRole('group', { name: 'Split by' }).getByRole('button', { name: 'User' }).click();
  await window.getByRole('heading', { name: 'Cost by day, by user' }).waitFor();
  await admin.go(`/?project=${project.id}&range=7d&by=tag:user`);
  const ben = window.getByRole('listitem').getByRole('link', { name: 'ben', exact: true });
  expect(await ben.getAttribute('href')).toMatch(/^\/users\/ben\?/);
  // What a user's calls cost is not known where none has a price.
  const house = { model: 'house-llm', prompt_tokens: 9, tags: { user: 'cy' } };
  await project.post(tokenEvent({ timestamp: daysAgo(2), ...house }));
  await admin.go(`/users?project=${project.id}&range=7d`);
  await admin.refresh();
  await expect
    .poll(async () => (await admin.rows('By user')).map(([name, cost]) => [name, cost]))
    .toEqual([
      ['ann', '$13.00'],
      ['ben', '$1.00'],
      ['cy', '–'],
    ]);
  await admin.go(`/?project=${project.id}&range=7d&by=tag:user`);
  const changes = window.getByRole('region', { name: 'What changed the cost most', exact: true });
  await changes.getByText('Most by one user: ann, +$11.00.').waitFor();
  await changes.getByRole('button', { name: 'Users' }).click();
  await changes.getByRole('link', { name: /ann/ }).click();
  await window.getByRole('heading', { name: 'ann', level: 1 }).waitFor();
  await expect.poll(async () => (await admin.rows('features')).map(([name]) => name)).toEqual(['agent', 'chat']);
  // Its filters are those of a customer's page.
  await window.getByRole('button', { name: 'Filter', exact: true }).click();
  await window.getByRole('checkbox', { name: /^chat/ }).check();
  await expect.poll(async () => (await admin.rows('features')).map(([name]) => name)).toEqual(['chat']);
  await expect.poll(async () => (await admin.rows('Calls')).map((cells) => cells[1])).toEqual(['$1.00']);
  expect(admin.faults).toEqual([]);
});

longTest('settings say that they were saved until a field is edited', async () => {
  const project = await farthing.createProject();
  const { window } = admin;
  await admin.open(`/settings?project=${project.id}`);
  const threshold = window.getByLabel('At risk below a margin of (percent)');
  await threshold.fill('35');
  await window.getByRole('button', { name: 'Save', exact: true }).click();
  await window.getByRole('button', { name: 'Saved' }).waitFor();
  expect((await project.api('GET', '/api/project/')).body).toMatchObject({ at_risk_below_pct: 35 });
  await threshold.fill('36');
  await window.getByRole('button', { name: 'Save', exact: true }).waitFor();
  expect(admin.faults).toEqual([]);
});

test('past days are repriced after a preview that shows the difference by customer', async () => {
  const project = projects.priced;
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 1 });
  await project.post(tokenEvent({ timestamp: now(), prompt_tokens: 2_000_000, tags: { customer: 'acme' } }));
  const { window } = admin;
  await project.post(tokenEvent({ timestamp: now(), model: 'unheard-of', cost: 0, tags: { customer: 'acme' } }));
  await admin.open(`/prices?of=unheard-of&project=${project.id}`);
  await window.keyboard.press('Escape');
  // No control opened the dialog, so its card has the focus.
  await window.locator('section:focus', { hasText: 'Models seen' }).waitFor();
  const prices = async () => (await admin.rows('Models seen')).map((cells) => cells.slice(0, 6));
  expect(await prices()).toEqual([
    ['m1', '1', '$1.00', '$1.00', '$1.00', 'override'],
    ['unheard-of', '1', '–', '–', '–', 'no priceSet a price'],
  ]);
  await window.getByRole('button', { name: 'Set a price' }).click();
  expect(await window.getByRole('dialog').getByLabel('Model').inputValue()).toBe('unheard-of');
  await window.keyboard.press('Escape');
  await window.locator('button:focus', { hasText: 'Set a price' }).waitFor();
  await window.getByRole('button', { name: 'Add a price' }).click();
  await window.getByRole('dialog').getByLabel('Model').fill('m1');
  await window.getByLabel('Input, USD').fill('-1');
  await window.getByLabel('Output, USD').fill('x');
  await window.getByRole('button', { name: 'Add it' }).click();
  // What is wrong is said of the fields as they are labelled.
  const faults = window.getByRole('dialog').getByRole('alert');
  await faults.waitFor();
  expect(await faults.getByRole('listitem').allInnerTexts()).toEqual([
    'Input, USD per million tokens must be from 0 to 1,000,000,000',
    'Output, USD per million tokens must be a number',
  ]);
  admin.forgetFaults();
  await window.getByLabel('Input, USD').fill('3.5');
  await window.getByLabel('Output, USD').fill('1');
  await window.getByRole('button', { name: 'Add it' }).click();
  await window.getByRole('dialog').waitFor({ state: 'hidden' });
  await window.locator('button:focus', { hasText: 'Add a price' }).waitFor();
  await window.getByRole('button', { name: 'Preview the difference' }).click();
  await window.getByText('These days would cost $7.00 instead of $2.00.').waitFor();
  expect(await admin.rows('Difference by customer')).toEqual([['acme', '$2.00', '$7.00', '$5.00']]);
  const costs = () => project.costBy('customer', { date_from: today, date_to: today });
  expect(await costs()).toEqual({ acme: 2 });
  await window.getByRole('button', { name: 'Put in force' }).click();
  await window.getByText('In force: these days cost $7.00 instead of $2.00.').waitFor();
  expect(await costs()).toEqual({ acme: 7 });
  await expect
    .poll(async () => (await admin.download('CSV', 'Log of reprices')).map((line) => line.split(',').slice(3)))
    .toEqual([
      ['in force', '2', '7'],
      ['preview', '2', '7'],
    ]);
  await window.getByRole('button', { name: 'Set a price' }).click();
  await window.getByLabel('Input, USD').fill('1');
  await window.getByLabel('Output, USD').fill('1');
  await window.getByRole('button', { name: 'Add it' }).click();
  // The button that opened the dialog is gone, so its row has the focus.
  await window.locator('tr:focus', { hasText: 'unheard-of' }).waitFor();
  expect(admin.faults).toEqual([]);
});

/** A project with some changes, whose settings are open for the three tests below, the last of which deletes it. */
const openSettings = once(async () => {
  const project = projects.settled;
  const budget = { amount: 100, period: 'month', thresholds: [80] };
  await project.addPrice({
    ...{ model: 'm1', input_per_mtok: 1, output_per_mtok: 1, effective_from: '2026-03-01' },
    units: { web_searches: 0.01, pages: 2 },
  });
  for (const amount of [100, 250]) {
    expect((await project.api('PUT', '/api/budgets/audited/', { ...budget, amount })).status).toBeLessThan(300);
  }
  await admin.go(`/settings?project=${project.id}`);
  return project;
});

test('D34.3: Settings show who changed what, from where, before and after, and files of what is filtered', async () => {
  await openSettings();
  const { window } = admin;
  const changes = window.getByRole('region', { name: 'Changes' }).locator('tbody tr');
  const newest = changes.first();
  await expect
    .poll(() => newest.innerText())
    .toMatch(/key.*Budget changed\naudited.*amount: 100.*amount: 250.*127\.0\.0\.1/s);
  // Two lines, however much has changed.
  expect((await newest.boundingBox())?.height).toBeLessThan(60);
  // With the second, as in a log of requests.
  expect(await newest.innerText()).toMatch(/\d{4}, \d{2}:\d{2}:\d{2}\s/);
  expect(await changes.nth(2).innerText()).toContain('effective from: 1 Mar 2026');
  expect(await changes.nth(2).innerText()).toMatch(/units: \w.* web searches 0\.01|units: web searches 0\.01/);
  const filter = window.getByRole('search');
  await filter.getByLabel('Kind of change').selectOption({ label: 'API key' });
  await expect.poll(() => changes.count()).toBe(1);
  expect(await newest.innerText()).toMatch(/admin token.*API key created\nkey_\w+…\w+/s);
  await filter.getByLabel('Kind of change').selectOption({ label: 'All kinds' });
  await filter.getByLabel('What').fill('audited');
  await expect.poll(() => changes.count()).toBe(2);
  await filter.getByLabel('Who').fill('admin token');
  await window.getByText('No such change').waitFor();
  await filter.getByLabel('Who').fill('');
  await filter.getByLabel('From').fill(today);
  await filter.getByLabel('To').fill(today);
  // The field that nobody types in has the page's form of days, not the browser's.
  await filter.getByText(toDay(today)).first().waitFor();
  await expect.poll(() => changes.count()).toBe(2);
  for (const [name, rows] of [
    ['CSV', /^\uFEFFid,at,.*budget,audited,.*budget,audited,/s],
    ['JSON', /^\{"id".*"subject":"audited".*\}\n\{"id".*"subject":"audited".*\}\n$/],
  ] as const) {
    const saved = window.waitForEvent('download');
    await window.getByRole('region', { name: 'Changes' }).getByRole('button', { name }).click();
    const text = readFileSync(await (await saved).path(), 'utf8');
    expect(text).toMatch(rows);
    expect(text).not.toMatch(/created,api_key|"kind":"api_key"/);
  }
  await filter.getByLabel('To').fill(addDays(today, -1));
  await window.getByText('No such change').waitFor();
  expect(admin.faults).toEqual([]);
});

test('a secret is shown once, works, and can be rotated', async () => {
  const project = await openSettings();
  const { window } = admin;
  await window.getByRole('button', { name: 'New secret' }).click();
  const secret = await window.locator('[data-secret]').innerText();
  const event = { event_id: randomUUID(), event_type: 'llm.before' };
  const post = (token: string) => farthing.send('POST', project.intakePath, { body: event, token });
  expectStatus(await post(secret), 200);
  await window.getByRole('button', { name: 'Close' }).click();
  expect(await window.getByText(secret).count()).toBe(0);

  const revoke = window.getByRole('button', { name: /Revoke the secret/ });
  await expect.poll(() => revoke.count()).toBe(2);
  await revoke.first().click();
  await revoke.first().click();
  await expect.poll(() => revoke.count()).toBe(1);
  await expect.poll(async () => (await post(project.secret)).status + (await post(secret)).status).toBe(601);

  await window.getByRole('button', { name: 'New key' }).click();
  await window.getByRole('button', { name: 'Make the key' }).click();
  const key = await window.locator('[data-secret]').innerText();
  const line = await window.locator('figure', { hasText: 'Let Claude Code ask' }).locator('pre').innerText();
  // As docs/api/mcp.md has it (D24.3).
  const documented = /^claude mcp add .*$/m.exec(readFileSync('docs/api/mcp.md', 'utf8'))?.[0] ?? '';
  expect(line).toBe(documented.replace('http://127.0.0.1:8787', farthing.url).replace('fk_…', key));
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  expectStatus(await farthing.send('POST', '/mcp', { body: message, token: key }), 200);
  await window.keyboard.press('Escape');
  const keys = window.getByRole('region', { name: 'API keys', exact: true }).first();
  await keys.getByLabel('Filter the rows').fill('no such key');
  await keys.getByText('No row has this text').waitFor();
  expect(admin.faults).toEqual([]);
});

test('the retention of a project is set, contents are kept, and the project is deleted once its name is typed', async () => {
  const project = await openSettings();
  const { window } = admin;
  const read = async () => await farthing.admin('GET', `${project.adminPath}/`);
  await window.getByLabel('Keep events and calls for (days)').fill('400');
  await window.getByLabel('Keep prompts and answers of OpenTelemetry').check();
  await window.getByRole('button', { name: 'Save, and delete older events for good' }).click();
  expect(expectStatus(await read(), 200)).toMatchObject({ retention_days: null });
  await window.getByRole('button', { name: 'Press again to confirm' }).click();
  await expect
    .poll(async () => (await read()).body)
    .toMatchObject({
      retention_days: 400,
      keep_content: true,
      name: 'To be deleted',
    });

  await window.getByRole('button', { name: 'Delete the project' }).click();
  const dialog = window.getByRole('dialog');
  await dialog.getByLabel('Name of the project').fill('to be deleted');
  await dialog.getByRole('button', { name: 'Delete it for good' }).click();
  await dialog.getByText('That is not the name of this project.').waitFor();
  expectStatus(await read(), 200);
  await dialog.getByLabel('Name of the project').fill('To be deleted');
  await dialog.getByRole('button', { name: 'Delete it for good' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expectStatus(await read(), 404);
  expect(window.url()).not.toContain(project.id);
  expect(admin.faults).toEqual([]);
});
