import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { openChromium } from '../tests/support/chromium.ts';
import { readFilled } from './filled.ts';
import { startService } from './start-service.ts';

/**
 * Opens the Overview in Chromium on a data folder that `bench/fill.ts` made. Prints the time from the navigation to its figures
 * and to its chart, of the last 30 days and of all days, each with the days before, and the time of a frame while the table of
 * all customers is scrolled.
 *
 *   node bin/runtime.js bench/page.ts --dir bench-data
 */
const { values } = parseArgs({
  options: { dir: { type: 'string', default: 'bench-data' }, rounds: { type: 'string', default: '7' } },
});
const filled = readFilled(values.dir);
const dayMs = 86_400_000;
const dayBefore = (count: number) => new Date(Date.now() - count * dayMs).toISOString().slice(0, 10);
const figures = ['AI cost', 'Revenue', 'Gross margin', 'Calls', 'Errors'];

/** Notes in the page when its figures and its chart appear, in milliseconds since the navigation. */
const watch = `(() => {
  window.shownAt = {};
  const note = (what, isThere) => { if (isThere) window.shownAt[what] ??= performance.now(); };
  new MutationObserver(() => {
    note('figures', ${JSON.stringify(figures)}.every((figure) => document.querySelector('[data-figure="' + figure + '"]')));
    note('chart', document.querySelector('canvas'));
  }).observe(document, { subtree: true, childList: true });
})()`;

/** Posts one event: the overview of a project without any leads to Connect. */
async function postEvent(project: string): Promise<void> {
  const post = async (path: string, token: string, body: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return await answer.json();
  };
  const made = await post(`/admin/projects/${project}/clients/`, service.adminToken, { name: 'bench' });
  const { client_id: client, secret } = made as { client_id: string; secret: string };
  await post(`/intake/${client}/`, secret, { event_id: randomUUID(), event_type: 'bench.before', model: 'model-0' });
}

const table = 'section[aria-label="Margin by customer"]';
/** Scrolls the table to its end, a part of it in each frame; returns the milliseconds of each frame. */
const scroll = `(async (table) => {
  const frames = [];
  for (let step = 1; step <= 60; step += 1) {
    const startedAt = performance.now();
    table.scrollTop = (table.scrollHeight * step) / 60;
    await new Promise(requestAnimationFrame);
    frames.push(performance.now() - startedAt);
  }
  return frames;
})(document.querySelector('${table}'))`;

const service = await startService(values.dir);
await postEvent(filled.projects.find(({ type }) => type === 'revenue')?.id ?? '');
const browser = await openChromium();
try {
  const context = await browser.newContext({ baseURL: service.url, viewport: { width: 1_440, height: 900 } });
  await context.addInitScript(watch);
  const window = await context.newPage();
  await window.goto('/');
  await window
    .getByLabel('API key or admin token')
    .fill(filled.projects.find(({ type }) => type === 'revenue')?.apiKey ?? '');
  await window.getByRole('button', { name: 'Sign in' }).click();
  await window.locator('main#page h1').first().waitFor();

  console.log(
    `${filled.calls.toLocaleString('en')} calls over ${filled.days} days, ${new Date().toISOString().slice(0, 10)}\n`,
  );
  console.log('| Overview of | figures, median ms | worst ms | with its chart, median ms |\n|---|---|---|---|');
  for (const [name, path] of [
    ['the last 30 days', '/'],
    [`all ${filled.days} days`, `/?from=${dayBefore(filled.days - 1)}&to=${dayBefore(0)}`],
  ] as const) {
    const shown: number[] = [];
    const drawn: number[] = [];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      await window.goto('about:blank');
      await window.goto(path);
      // Requests of this round must not slow down the next.
      await window.waitForLoadState('networkidle');
      await window.locator('canvas').first().waitFor();
      const shownAt = await window.evaluate<{ figures: number; chart: number }>('shownAt');
      shown.push(shownAt.figures);
      drawn.push(shownAt.chart);
    }
    const sorted = [shown, drawn].map((times) => times.sort((a, b) => a - b).map(Math.round));
    const median = (times: number[] = []) => times[times.length >> 1];
    console.log(`| ${name} | ${median(sorted[0])} | ${sorted[0]?.at(-1)} | ${median(sorted[1])} |`);
  }

  await window.goto(`/customers?from=${dayBefore(29)}&to=${dayBefore(0)}`);
  await window.locator(`${table} tbody tr`).first().waitFor();
  const frames = await window.evaluate<number[]>(scroll);
  frames.sort((a, b) => a - b);
  console.log(
    `\nscrolling all customers in 60 steps: a frame takes ${Math.round(frames[frames.length >> 1] ?? 0)} ms, at most ${Math.round(frames.at(-1) ?? 0)} ms`,
  );
} finally {
  await browser.close();
  service.process.kill('SIGTERM');
  await once(service.process, 'exit');
}
