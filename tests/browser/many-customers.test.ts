import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { expectStatus, sharedFarthing } from '../support/client.ts';
import { visit } from './visitor.ts';

const farthing = sharedFarthing();
const customers = 10_000;
/** The most rows of them that may be in the document at once. */
const mostRows = 60;
/** The longest that half of the frames may take while the table is scrolled, in milliseconds: far more than a smooth one. */
const mostMedianMs = 100;
let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
});

/** Scrolls a table down to its end, a part of it in each frame; the times of the frames, and the most rows there were. */
const scroll = `(async (table) => {
  const frames = [];
  let most = 0;
  let last = performance.now();
  for (let step = 1; step <= 60; step += 1) {
    table.scrollTop = (table.scrollHeight * step) / 60;
    await new Promise(requestAnimationFrame);
    frames.push(performance.now() - last);
    last = performance.now();
    most = Math.max(most, table.querySelectorAll('tbody tr').length);
  }
  return { frames, most };
})(document.querySelector('section[aria-label="Margin by customer"]'))`;

test('10,000 customers are one table, which scrolls smoothly, is sorted over all, and has a file of all', async () => {
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
  const visitor = await visit(browser, farthing);
  const { window } = visitor;
  await visitor.signIn(project.apiKey);
  // The newest event is asked for first: a project without one shows its first steps on the overview alone.
  await visitor.open(`/customers?from=${day}&to=${day}&sort=-revenue&compare=false`);
  const table = window.getByRole('region', { name: 'Margin by customer', exact: true });
  await expect
    .poll(async () => (await visitor.rows('Margin by customer'))[0]?.slice(0, 2))
    .toEqual([nameOf(9_999), '$10,000.00']);
  expect(await table.getByRole('table').getAttribute('aria-rowcount')).toBe(String(customers + 1));

  const { frames, most } = await window.evaluate<{ frames: number[]; most: number }>(scroll);
  expect(most).toBeLessThan(mostRows);
  expect(frames.toSorted((a, b) => a - b)[frames.length / 2]).toBeLessThan(mostMedianMs);
  await window.getByRole('link', { name: nameOf(0), exact: true }).waitFor();
  // The line over time of what is on view comes once the table rests.
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
