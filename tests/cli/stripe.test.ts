import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { january, revenueOf } from '../api/D17-stripe/support.ts';
import { type Project, sharedFarthing } from '../support/client.ts';
import { eventsOf, invoiceOf, type Json } from '../support/stripe.ts';
import { commandsOf } from './as-admin.ts';

const folder = mkdtempSync(join(tmpdir(), 'farthing-stripe-'));
const farthing = sharedFarthing();
let project: Project;

beforeAll(async () => {
  project = await farthing.createProject();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Answers lists as the API of Stripe does, two objects a page; at first it is asked too often. */
async function startStripe(lists: Readonly<Record<string, readonly Json[]>>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stripe');
    const reply = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.headers.authorization !== 'Bearer rk_test_books') return reply(401, { error: {} });
    asked.push(pathname);
    if (asked.length === 1) return reply(429, { error: {} });
    const list = lists[pathname] ?? [];
    const from = list.findIndex(({ id }) => id === searchParams.get('starting_after')) + 1;
    return reply(200, { object: 'list', data: list.slice(from, from + 2), has_more: list.length > from + 2 });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${Object(server.address()).port}`, asked, stop: () => server.close() };
}

test('D17.2: everything of an account is read by its API, page by page, with all lines of an invoice', async () => {
  const empty = await farthing.createProject();
  const [from, to] = [Date.UTC(2026, 0, 1) / 1_000, Date.UTC(2026, 1, 1) / 1_000];
  const lines = [100, 200, 400].map((dollars) => ({ amount: 100 * dollars, from, to }));
  const long = january({ id: 'in_long', lines, linesInWebhooks: 1 });
  const whole = Object(invoiceOf(long, 'paid', true)).lines.data as Json[];
  const account = await startStripe({
    '/v1/customers': ['cus_1', 'cus_2', 'cus_3'].map((customer) => ({
      object: 'customer',
      id: customer,
      metadata: {},
    })),
    '/v1/invoices': [
      invoiceOf(long, 'paid'),
      invoiceOf(january({ id: 'in_2' }), 'paid'),
      invoiceOf(january({ id: 'in_3', customer: 'cus_2' }), 'void'),
      { ...invoiceOf(january({ id: 'in_4' }), 'paid'), status: 'draft' },
    ],
    '/v1/invoices/in_long/lines': whole,
  });
  const read = ['revenue', 'import', '--from', 'stripe', '--key', '--stripe-url', account.url, '--project', empty.id];
  try {
    expect(await commandsOf(farthing).fail(...read)).toContain('Set STRIPE_API_KEY');
    const stranger = commandsOf(farthing, { STRIPE_API_KEY: 'rk_test_wrong' });
    expect(await stranger.fail(...read)).toContain('Stripe does not know this API key.');
    const owner = commandsOf(farthing, { STRIPE_API_KEY: 'rk_test_books' });
    expect(await owner.runJson(...read)).toEqual({ objects: 6, changed: 6, ignored: 0 });
    expect(await owner.runJson(...read)).toEqual({ objects: 6, changed: 0, ignored: 0 });
  } finally {
    account.stop();
  }
  const amounts = (await revenueOf(empty)).map(({ external_id: entry, amount }) => [entry, amount]);
  expect(Object.fromEntries(amounts)).toEqual({
    'stripe:in_long:il_in_long_0': 100,
    'stripe:in_long:il_in_long_1': 200,
    'stripe:in_long:il_in_long_2': 400,
    'stripe:in_2:il_in_2_0': 310,
  });
});

test('D17.2: a file of events is imported once, and customers and rates are set by commands', async () => {
  const commands = commandsOf(farthing);
  const of = ['--project', project.id];
  const file = join(folder, 'events.json');
  writeFileSync(file, JSON.stringify({ object: 'list', data: eventsOf(january({ currency: 'eur' })) }));
  const read = ['revenue', 'import', '--from', 'stripe', file, ...of];
  expect(await commands.runJson(...read)).toEqual({ objects: 1, changed: 1, ignored: 0 });
  expect(await commands.runJson(...read)).toMatchObject({ changed: 0 });
  await commands.run('stripe', 'map', 'cus_1', 'acme', ...of);
  await commands.run('stripe', 'rate', 'eur', '2026-01-01', '1.1', ...of);
  expect((await project.api('GET', '/api/revenue/')).body).toMatchObject({ rows: [{ customer: 'acme', amount: 341 }] });
  expect(await commands.runJson('stripe', 'list', ...of)).toMatchObject({ hooks: [] });
});
