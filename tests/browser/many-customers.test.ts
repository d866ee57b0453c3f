import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openChromium } from '../support/chromium.ts';
import { expectStatus, sharedFarthing } from '../support/client.ts';
import { visit } from './visitor.ts';

const farthing = sharedFarthing();
const customers = 10_000;
/** The limit of the table's rows in the document at once. */
const mostRows = 60;
let browser: Browser;

beforeAll(async () => {
  browser = await openChromium();
});

/** Scrolls a table to its end, one step per frame, and returns the largest number of rows in the document. */
const scroll = `(async (table) => {
  let most = 0;
  for (let step = 1; step <= 60; step += 1) {
    table.scrollTop = (table.scrollHeight * step) / 60;
    await new Promise(requestAnimationFrame);
    most = Math.max(most, table.querySelectorAll('tbody tr').length);
  }
  return most;
})(document.querySelector('section[aria-label="Margin by customer"]'))`;

test('a table of 10,000 customers is sorted over all, holds only visible rows in the document, and exports all', async () => {
  const project = await farthing.createProject();
  const day = '2026-01-15';
  const nameOf = (index: number) => `customer ${String(index).padStart(5, '0')}`;
  for (let from = 0; from < customers; from += 1_000) {
    const entries = Array.from({ length: 1_000 }, (_, index) => ({
      external_id: `e${from + index}`,
      customer: nameOf(from + index),
      amount: from + index + 1,
      date_from: day,
    }));
    expectStatus(await project.api('POST', '/api/revenue/', { entries }), 200);
  }
  const visitor = await visit(browser, farthing, { as: project.apiKey });
  const { window } = visitor;
  // The page asks for the newest event first: without one the overview shows only the first steps.
  await visitor.open(`/customers?from=${day}&to=${day}&sort=-revenue&compare=false`);
  const table = window.getByRole('region', { name: 'Margin by customer', exact: true });
  await expect
    .poll(async () => (await visitor.rows('Margin by customer'))[0]?.slice(0, 2))
    .toEqual([nameOf(9_999), '$10,000.00']);
  expect(await table.getByRole('table').getAttribute('aria-rowcount')).toBe(String(customers + 1));

  // The number of rows in the document decides how smoothly the table scrolls; `bench/page.ts` measures it.
  expect(await window.evaluate<number>(scroll)).toBeLessThan(mostRows);
  await window.getByRole('link', { name: nameOf(0), exact: true }).waitFor();
  // The sparklines of visible rows load once scrolling stops.
  await expect
    .poll(() =>
      window
        .getByRole('img', { name: `Margin of ${nameOf(0)} over time` })
        .locator('polyline')
        .getAttribute('points'),
    )
    .not.toBe('');

  await window.getByRole('button', { name: 'Revenue', exact: true }).click();
  await window.evaluate('document.querySelector(\'section[aria-label="Margin by customer"]\').scrollTop = 0');
  await expect.poll(async () => (await visitor.rows('Margin by customer'))[0]?.[0]).toBe(nameOf(0));
  const lines = await visitor.download('CSV');
  expect(lines).toHaveLength(customers);
  expect(visitor.faults).toEqual([]);
  await visitor.close();
});
