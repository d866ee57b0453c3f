import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { launchChromium } from '../support/chromium.ts';
import { sharedFarthing } from '../support/client.ts';
import { type DemoProject, makeDemoProject } from './demo-project.ts';
import { type Visitor, visit } from './visitor.ts';

const farthing = sharedFarthing();
let browser: Browser;
let revenue: DemoProject;
let internal: DemoProject;

beforeAll(async () => {
  [browser, revenue, internal] = await Promise.all([
    launchChromium(),
    makeDemoProject(farthing, { type: 'revenue', days: 3 }),
    makeDemoProject(farthing, { type: 'internal', days: 3 }),
  ]);
});
afterAll(async () => {
  await browser?.close();
});

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
  '/settings',
];

const found = z.object({
  violations: z.array(
    z.object({ id: z.string(), impact: z.string().nullable(), nodes: z.array(z.object({ html: z.string() })) }),
  ),
});

async function listFaults({ window }: Visitor): Promise<string[]> {
  await window.evaluate(axe.source);
  const { violations } = found.parse(await window.evaluate('axe.run()'));
  const isWide = await window.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
  return [
    ...violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`),
    ...(isWide ? ['it is wider than the window'] : []),
  ];
}

test.concurrent.each([
  { width: 1_440, colorScheme: 'light' },
  { width: 1_440, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
] as const)(
  'every page, $width wide and $colorScheme, can be used by everybody, fits, and asks nobody else',
  async (options) => {
    const visitor = await visit(browser, farthing, options);
    await visitor.signIn(farthing.adminToken);
    const faults: string[] = [];
    for (const [path, project] of [
      ...pages.map((page) => [page, revenue] as const),
      ['/', internal],
      ['/users', internal],
      ['/users/ann', internal],
    ] as const) {
      await visitor.open(`${path}${path.includes('?') ? '&' : '?'}project=${project.id}&range=7d`);
      faults.push(...(await listFaults(visitor)).map((fault) => `${path}: ${fault}`));
    }
    expect([...faults, ...visitor.faults]).toEqual([]);
    await visitor.close();
  },
);

test('the keyboard reaches the page and its parts, and shows where it is', async () => {
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
