import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openChromium } from '../support/chromium.ts';
import { costEvent, expectStatus, type Project, sharedFarthing } from '../support/client.ts';
import { dayOf } from '../support/model.ts';
import { noon } from '../support/noon.ts';
import { poll } from '../support/poll.ts';
import { type Visitor, visit } from './visitor.ts';

const farthing = sharedFarthing();
/** Where it is noon, no period ends between an event and the check. */
const here = { timezone: noon.timezone };
const today = dayOf(Date.now(), noon.timezone);
let browser: Browser;
let admin: Visitor;
/** Made before the page is open, which then knows them: a test goes to its own without loading the page anew. */
let projects: Record<'budgeted' | 'alarmed' | 'told', Project>;

beforeAll(async () => {
  browser = await openChromium();
  projects = {
    budgeted: await farthing.createProject(here),
    alarmed: await farthing.createProject(here),
    told: await farthing.createProject(),
  };
  admin = await visit(browser, farthing, { as: farthing.adminToken });
});
afterAll(() => admin?.close());

/** Two customers spend 3 and 1 USD today. */
async function spend(project: Project): Promise<void> {
  const timestamp = new Date().toISOString();
  await project.post(
    costEvent({ timestamp, cost: 3, tags: { customer: 'acme', feature: 'chat' } }),
    costEvent({ timestamp, cost: 1, tags: { customer: 'globex', feature: 'chat' } }),
  );
  await poll('the costs are there', { within: 60_000 }, async () =>
    (await project.totalCost()) === 4 ? true : undefined,
  );
}

test('D20.1, D32.1, D25: a budget is added with a filter, shows its bar and who has spent it, and is changed and removed', async () => {
  const project = projects.budgeted;
  await spend(project);
  const { window } = admin;
  await admin.go(`/budgets?project=${project.id}`);
  await window.getByText('No budget yet').waitFor();
  await window.getByRole('button', { name: 'Add a budget' }).click();
  const dialog = window.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Free / plan');
  await dialog.getByLabel('Amount, USD').fill('2.5');
  await dialog.getByLabel('Period').selectOption('Day');
  await dialog.getByLabel('Thresholds, percent').fill('50, most');
  await dialog.getByRole('button', { name: 'Filter' }).click();
  await dialog.getByLabel('acme').check();
  await dialog.getByRole('button', { name: 'Add it' }).click();
  // What the service refuses is named, and nothing that was typed is lost.
  await dialog.getByRole('alert').getByText('Thresholds, percent', { exact: true }).waitFor();
  admin.forgetFaults();
  await dialog.getByLabel('Thresholds, percent').fill('50, 130');
  await dialog.getByRole('button', { name: 'Add it' }).click();
  await dialog.waitFor({ state: 'hidden' });

  const card = window.getByRole('region', { name: 'Free / plan', exact: true });
  await card.getByText('over by $0.50').waitFor();
  expect(await card.innerText()).toContain('$2.50 a day · customer acme');
  const bar = card.getByRole('img');
  expect(await bar.getAttribute('aria-label')).toMatch(/^120\.0% of \$2\.50 spent.*, thresholds at 50%, 130%$/);
  // The bar ends at the largest threshold or the forecast: 3 of at least 3.25 USD.
  const spent = Number(await bar.locator('[data-part=spent]').getAttribute('width'));
  expect(spent).toBeGreaterThan(0);
  expect(spent).toBeLessThanOrEqual(1_000 * (3 / 3.25));

  await window.getByRole('button', { name: 'Change the budget Free / plan' }).click();
  await dialog.getByRole('button', { name: 'Remove: Customer: acme' }).click();
  expect(await dialog.getByLabel('Amount, USD').inputValue()).toBe('2.5');
  await dialog.getByLabel('Amount, USD').fill('1.500000000001');
  await dialog.getByLabel('One budget for').selectOption('each customer');
  await dialog.getByRole('button', { name: 'Save it' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await card.getByText('$1.500000000001 a day for each customer · all calls').waitFor();
  expect(await admin.rows('Customers of Free / plan')).toEqual([
    ['acme', '$3.00', '200.0%', 'over by $1.50'],
    ['globex', '$1.00', '66.7%', '$0.50'],
  ]);
  // One precision a column; the file has all digits.
  expect((await admin.download('CSV')).at(-1)).toMatch(/,0\.500000000001$/);
  expect((await project.api('GET', '/api/budgets/')).body).toMatchObject({
    budgets: [{ name: 'Free / plan', scope: {}, each: 'customer', thresholds: [50, 130] }],
  });
  // Of the last six hours instead.
  await window.getByRole('button', { name: 'Change the budget Free / plan' }).click();
  await dialog.getByLabel('Period').selectOption('Window');
  await dialog.getByLabel('Window').fill('6h');
  await dialog.getByRole('button', { name: 'Save it' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await card.getByText('$1.500000000001 in 6h for each customer · all calls').waitFor();
  await card.getByText('The window').waitFor();
  expect(await admin.rows('Customers of Free / plan')).toHaveLength(2);
  await window.getByRole('button', { name: 'Change the budget Free / plan' }).click();
  expect(await dialog.getByLabel('Window').inputValue()).toBe('6h');
  await dialog.getByLabel('Period').selectOption('Day');
  await dialog.getByRole('button', { name: 'Save it' }).click();
  await card.getByText('$1.500000000001 a day for each customer · all calls').waitFor();
  await card.getByRole('link', { name: 'acme' }).click();
  await window.getByRole('heading', { name: 'acme' }).waitFor();
  expect(new URL(window.url()).searchParams.get('from')).toBe(today);

  await window.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Budgets', exact: true }).click();
  const remove = window.getByRole('button', { name: 'Remove the budget Free / plan' });
  await remove.click();
  await remove.click();
  await window.getByText('No budget yet').waitFor();
  expect(admin.faults).toEqual([]);
});

const firingsAnswer = z.object({ firings: z.array(z.object({ title: z.string(), ended_at: z.string().nullable() })) });

test('D20.3, D25: a firing shows its numbers, is counted beside the pages, leads to its page, and moves to the history', async () => {
  const project = projects.alarmed;
  await spend(project);
  for (const name of ['Small', 'Large']) {
    const amount = name === 'Small' ? 2 : 1_000;
    expectStatus(await project.api('POST', '/api/budgets/', { name, amount, period: 'day', thresholds: [100] }), 201);
  }
  await poll('the budget has fired', { within: 120_000, every: 500 }, async () => {
    const { body } = await project.api('GET', '/api/alerts/firings/?kind=budget&state=open');
    return firingsAnswer.parse(body).firings.length === 1 ? true : undefined;
  });
  const { window } = admin;
  await admin.go(`/alerts?project=${project.id}`);
  const open = window.getByRole('region', { name: 'Open alerts' });
  const firing = open.getByRole('listitem').filter({ hasText: 'Small' });
  expect(await firing.innerText()).toMatch(/\$4\.00 of \$2\.00/);
  expect(await firing.locator('dl').innerText()).toMatch(/amount\s*\$2\.00\s*spent\s*\$4\.00 \(200\.0%\)/);
  const count = await open.getByRole('listitem').count();
  await window.getByRole('link', { name: `Alerts ${count} open` }).waitFor();
  await firing.getByRole('link', { name: 'Show the budget' }).click();
  await window.getByRole('region', { name: 'Small', exact: true }).getByText('over by $2.00').waitFor();
  expect(await window.getByRole('region', { name: 'Large', exact: true }).count()).toBe(0);
  expect(new URL(window.url()).searchParams.get('project')).toBe(project.id);
  await window.getByRole('button', { name: 'Show all 2 budgets' }).click();
  await window.getByRole('region', { name: 'Large', exact: true }).waitFor();

  await window.getByRole('link', { name: /^Alerts/ }).click();
  await window.getByRole('button', { name: 'Change the alert Lower coverage' }).click();
  await window.getByLabel('Drop, percentage points').fill('25');
  await window.getByRole('button', { name: 'Save it' }).click();
  await window.getByText('25 points below the usual share').waitFor();
  // To turn an alert off ends what is open of it.
  await window.getByRole('switch', { name: 'Budget', exact: true }).click();
  await expect.poll(() => firing.count()).toBe(0);
  await expect.poll(async () => (await admin.rows('Ended alerts')).map((cells) => cells[1])).toEqual(['Budget']);
  expect((await project.api('GET', '/api/alerts/')).body).toMatchObject({
    alerts: expect.arrayContaining([
      expect.objectContaining({ kind: 'budget', enabled: false, open: 0 }),
      expect.objectContaining({ kind: 'coverage_drop', drop_points: 25 }),
    ]),
  });
  expect(admin.faults).toEqual([]);
});

test('D20.5, D25, D33: an endpoint gets digests, its secret is shown once and rotated, its test shows an attempt, and it is removed', async () => {
  const project = projects.told;
  const { window } = admin;
  await admin.go(`/alerts?project=${project.id}`);
  await window.getByRole('button', { name: 'Add an endpoint' }).click();
  const dialog = window.getByRole('dialog');
  await dialog.getByLabel('URL').fill('https://127.0.0.1/hook');
  await dialog.getByRole('button', { name: 'Add it' }).click();
  await dialog.getByText('must have a public address').waitFor();
  admin.forgetFaults();
  // A name that nobody has (RFC 2606): the attempt fails, and says so.
  const url = 'https://farthing.invalid/hook';
  await dialog.getByLabel('URL').fill(url);
  await dialog.getByLabel('All kinds').uncheck();
  await dialog.getByLabel('No events').uncheck();
  await dialog.getByLabel('How it went, with what changed').selectOption('Every week');
  await dialog.getByLabel('On', { exact: true }).selectOption('Friday');
  await dialog.getByRole('button', { name: 'Show the newest' }).click();
  await window.getByText('Calls: 0 calls').waitFor();
  await window.getByRole('button', { name: 'Close' }).last().click();
  await dialog.getByRole('button', { name: 'Add it' }).click();
  const secrets: string[] = [];
  const takeSecret = async () => {
    secrets.push(await window.locator('[data-secret]').innerText());
    await window.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'hidden' });
  };
  await takeSecret();
  expect((await project.api('GET', '/api/notification-endpoints/')).body).toMatchObject({
    endpoints: [
      {
        ...{ kind: 'webhook', url, alerts: expect.not.arrayContaining(['no_events']) },
        ...{ digest: 'weekly', digest_day: 5, digest_hour: 8 },
      },
    ],
  });
  await window.getByText('a digest every Friday at 8:00').waitFor();

  await window.getByRole('button', { name: `Test ${url}` }).click();
  await expect
    .poll(async () => (await admin.rows(`Attempts to ${url}`)).map((cells) => cells.slice(0, 2).join(' ')))
    .toEqual([expect.stringMatching(/^Test failed/)]);
  expect((await admin.download('CSV', 'Where alerts are sent')).map((line) => line.split(' ')[0])).toEqual([
    'Test,failed',
  ]);

  const rotate = window.getByRole('button', { name: `Rotate the secret of ${url}` });
  await rotate.click();
  await rotate.click();
  await takeSecret();
  await window.getByText('the old secret signs until').waitFor();
  expect(secrets).toEqual([expect.stringMatching(/^whsec_/), expect.stringMatching(/^whsec_/)]);
  expect(new Set(secrets).size).toBe(2);
  const shown = await window.content();
  expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);

  const sends = window.getByRole('switch', { name: `Send to ${url}` });
  await sends.click();
  await expect.poll(() => sends.getAttribute('aria-checked')).toBe('false');
  const remove = window.getByRole('button', { name: `Remove ${url}` });
  await remove.click();
  await remove.click();
  await window.getByText('Nowhere yet').waitFor();
  expect(admin.faults).toEqual([]);
});
