import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openChromium } from '../support/chromium.ts';
import { costEvent, sharedFarthing } from '../support/client.ts';
import { longTest } from '../support/long-test.ts';
import { noon } from '../support/noon.ts';
import { type Visitor, visit } from './visitor.ts';

const farthing = sharedFarthing();
let browser: Browser;

beforeAll(async () => {
  browser = await openChromium();
});

test('the page says when the session has ended, and signing in again returns to the same view', async () => {
  const project = await farthing.createProject({ timezone: noon.timezone });
  await project.post(costEvent({ cost: 3, timestamp: new Date().toISOString(), tags: { customer: 'acme' } }));
  const [first, second] = [
    await project.createKey({ scopes: ['read'] }),
    await project.createKey({ scopes: ['read'] }),
  ];
  const visitor = await visit(browser, farthing, { as: first.api_key });
  const { window } = visitor;
  await visitor.open('/customers?range=7d&sort=customer');
  await farthing.send('DELETE', `/admin/projects/${project.id}/api-keys/${first.id}/`, { token: farthing.adminToken });
  await expect
    .poll(async () => {
      await window
        .getByRole('switch', { name: 'After credits' })
        .click({ timeout: 2_000 })
        .catch(() => undefined);
      return await window.getByText('Your session has ended.').count();
    })
    .toBe(1);
  expect(new URL(window.url()).searchParams.get('sort')).toBe('customer');
  expect(await window.title()).toBe('Sign in · Farthing');

  // The service goes away before the page was ever whole.
  await window.route('**/api/**', (route) => route.abort());
  await window.getByLabel('API key or admin token').fill(second.api_key);
  await window.getByRole('button', { name: 'Sign in' }).click();
  await window.getByText('This opens as soon as the service answers').waitFor();
  await window.unroute('**/api/**');
  await expect.poll(async () => (await visitor.rows('Margin by customer')).map(([name]) => name)).toEqual(['acme']);
  expect(visitor.faults.filter((fault) => !/status of 401|ERR_FAILED/.test(fault))).toEqual([]);

  // A link to a project that the key does not have shows no other project's numbers.
  await window.goto('/customers?project=prj_01ARZ3NDEKTSV4RRFFQ69G5FAV');
  await window.getByText('There is no such project here').waitFor();
  await window.getByRole('link', { name: 'open another project' }).click();
  await window.locator('[data-figure="AI cost"]').waitFor();
  await visitor.close();
});

test('without an answer the page says so, keeps its numbers, and resumes by itself', async () => {
  const project = await farthing.createProject({ timezone: noon.timezone });
  await project.post(costEvent({ cost: 3, timestamp: new Date().toISOString() }));
  const visitor = await visit(browser, farthing, { as: project.apiKey });
  const { window, context } = visitor;
  await visitor.open('/?range=7d');
  expect(await visitor.figure('AI cost')).toBe('$3.00');
  await context.setOffline(true);
  await window.getByRole('switch', { name: 'After credits' }).click();
  await window.getByText('No answer from the service. What you chose needs one').waitFor();
  expect(await visitor.figure('AI cost')).toBe('$3.00');
  expect(await window.getByRole('switch', { name: 'After credits' }).getAttribute('aria-checked')).toBe('false');
  await window.getByRole('link', { name: 'Features' }).click();
  await window.getByRole('heading', { name: 'Features', level: 1 }).waitFor();
  await window.getByText('This opens as soon as the service answers').waitFor();
  expect(await window.locator('.animate-pulse').count()).toBe(0);
  await window.getByRole('link', { name: 'Overview' }).click();
  expect(await visitor.figure('AI cost')).toBe('$3.00');
  await project.post(costEvent({ cost: 2, timestamp: new Date().toISOString() }));
  await context.setOffline(false);
  await window.getByText('No answer from the service.').waitFor({ state: 'detached' });
  await expect.poll(() => visitor.figure('AI cost')).toBe('$5.00');
  expect(visitor.faults.filter((fault) => !fault.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  await visitor.close();
});

longTest('an error shows the service’s advice on what to do', async () => {
  const project = await farthing.createProject();
  const visitor = await visit(browser, farthing, { as: project.apiKey });
  await visitor.open('/features?from=2001-01-01&to=2020-01-01');
  const answer = await project.api('POST', '/api/usage/', { date_from: '2001-01-01', date_to: '2020-01-01' });
  const { detail } = answer.body as { detail: string };
  expect(detail.length).toBeGreaterThan(10);
  await visitor.window.getByText(detail).first().waitFor();
  await visitor.close();
});

/** What has the focus, and a way to it by the keyboard. */
function keyboardOf(window: Visitor['window']) {
  const { keyboard } = window;
  const focused = () =>
    window.evaluate<string>(
      "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.labels?.[0]?.innerText ?? document.activeElement.innerText).trim()",
    );
  /** Presses the key until an element of this name has the focus. */
  const tabTo = async (name: RegExp, key = 'Tab') => {
    for (let presses = 0; presses < 80; presses += 1) {
      await keyboard.press(key);
      if (name.test(await focused())) return;
    }
    throw new Error(`${name} is not reached by ${key}`);
  };
  return { focused, tabTo };
}

test('with the keyboard alone: sign in, sort, read a chart, choose days in the calendar, and filter', async () => {
  const project = await farthing.createProject();
  await project.post(
    costEvent({ cost: 1, timestamp: '2026-01-15T12:00:00Z', model: 'm1', tags: { customer: 'acme', feature: 'chat' } }),
    costEvent({ cost: 2, timestamp: '2026-01-16T12:00:00Z', model: 'm2', tags: { customer: 'zeta', feature: 'chat' } }),
    costEvent({
      cost: 0.5,
      timestamp: '2026-01-14T12:00:00Z',
      model: 'm3',
      tags: { customer: 'zeta', feature: 'chat' },
    }),
  );
  const visitor = await visit(browser, farthing);
  const { window } = visitor;
  const { keyboard } = window;
  const { focused, tabTo } = keyboardOf(window);

  await window.goto('/models?from=2026-01-10&to=2026-01-20');
  await window.getByLabel('API key or admin token').waitFor();
  await tabTo(/^API key or admin token$/);
  await keyboard.type(project.apiKey);
  await keyboard.press('Enter');
  await expect.poll(async () => (await visitor.rows('models')).map(([name]) => name)).toEqual(['m2', 'm1', 'm3']);

  await tabTo(/^Model$/);
  await keyboard.press('Enter');
  await expect.poll(async () => (await visitor.rows('models')).map(([name]) => name)).toEqual(['m1', 'm2', 'm3']);
  await tabTo(/^Cost by day, by model/, 'Shift+Tab');
  await keyboard.press('End');
  expect(await window.getByRole('slider').getAttribute('aria-valuetext')).toContain('20 Jan 2026');

  await tabTo(/^Days: /, 'Shift+Tab');
  await keyboard.press('Enter');
  await tabTo(/^20 Jan 2026$/);
  for (const key of ['ArrowUp', 'ArrowRight', 'ArrowRight', 'Enter']) await keyboard.press(key);
  await expect.poll(focused).toBe('15 Jan 2026');
  await keyboard.press('ArrowLeft');
  await expect.poll(focused).toBe('14 Jan 2026');
  await keyboard.press('Enter');
  await tabTo(/^Show these days$/);
  await keyboard.press('Enter');
  await expect.poll(async () => (await visitor.rows('models')).map(([name]) => name)).toEqual(['m1', 'm3']);
  expect(window.url()).toContain('from=2026-01-14&to=2026-01-15');

  await tabTo(/^Filter$/);
  await keyboard.press('Enter');
  await tabTo(/^Search: Customer$/);
  await keyboard.type('zet');
  await expect.poll(() => window.getByRole('checkbox').count()).toBe(1);
  await tabTo(/^zeta/);
  await keyboard.press('Space');
  await keyboard.press('Escape');
  await expect.poll(async () => (await visitor.rows('models')).map(([name]) => name)).toEqual(['m3']);

  expect(visitor.faults).toEqual([]);
  await visitor.close();
});

longTest('with the keyboard alone, a price is added', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1, timestamp: '2026-01-15T12:00:00Z', model: 'm1' }));
  const visitor = await visit(browser, farthing, { as: project.apiKey });
  const { window } = visitor;
  const { keyboard } = window;
  const { tabTo } = keyboardOf(window);
  await visitor.open('/prices');
  await tabTo(/^Set a price$/);
  await keyboard.press('Enter');
  await tabTo(/^Input, USD/);
  await keyboard.type('1');
  await tabTo(/^Output, USD/);
  await keyboard.type('2');
  await keyboard.press('Enter');
  await expect
    .poll(async () => (await visitor.rows('Your own prices')).map((cells) => cells.slice(0, 3)))
    .toEqual([['m1', '$1.00', '$2.00']]);
  expect(visitor.faults).toEqual([]);
  await visitor.close();
});
