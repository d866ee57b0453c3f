// Makes the pictures of the page in docs/images: every view with made-up data, light and dark, by
// `npm run screenshots`. With `--out FOLDER`, `--width PIXELS` and `--only NAME,NAME` it makes others, to look at.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type DemoService, fillDemo } from '../src/cli/demo/fill.ts';
import { type Visitor, visit } from '../tests/browser/visitor.ts';
import { openChromium } from '../tests/support/chromium.ts';
import { makeDataDir, startService } from '../tests/support/service.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'docs/images' },
    width: { type: 'string', default: '1280' },
    only: { type: 'string' },
  },
});
const height = 860;
const days = 90;
const dayMs = 86_400_000;
const now = Date.now();
const dayOf = (daysAgo: number): string => new Date(now - daysAgo * dayMs).toISOString().slice(0, 10);
const lastMonth = new Date(Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth(), 0))
  .toISOString()
  .slice(0, 10);

const service = await startService({ dataDir: makeDataDir() });

async function ask<T>(method: string, path: string, body?: unknown, project?: string, token = service.adminToken) {
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(project !== undefined && { 'farthing-project': project }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

const demo: DemoService = {
  post: (path, body, project) => ask('POST', path, body, project),
  put: (path, body, project) => ask('PUT', path, body, project),
  postEvents: async ({ client_id: client, secret }, events) => {
    await ask('POST', `/intake/${client}/`, events, undefined, secret);
  },
};

/** What the demo does not have: a close, budgets, and somewhere to send alerts. */
async function addAround(project: string): Promise<void> {
  const post = <T>(path: string, body: unknown) => ask<T>('POST', path, body, project);
  await post('/api/closes/', { through: lastMonth, note: 'Books of the month' });
  await post('/api/revenue/', {
    entries: [
      {
        ...{ external_id: 'late-refund', customer: 'Northwind', amount: -25 },
        ...{ date_from: `${lastMonth.slice(0, 8)}01`, date_to: lastMonth },
      },
    ],
  });
  await post('/api/budgets/', { name: 'Each customer', amount: 150, period: 'month', each: 'customer' });
  await post('/api/notification-endpoints/', {
    kind: 'webhook',
    url: 'https://hooks.example.com/farthing',
    alerts: ['budget', 'anomaly'],
  });
}

interface View {
  readonly name: string;
  readonly path: string;
  readonly of?: 'internal';
}

function listViews(): View[] {
  const swap = encodeURIComponent(JSON.stringify({ 'gpt-4o': 'gpt-5-mini' }));
  return [
    { name: 'overview', path: '/' },
    { name: 'customers', path: '/customers' },
    { name: 'customer', path: '/customers/Blue%20Harbour' },
    { name: 'users', path: '/users', of: 'internal' },
    { name: 'features', path: '/features' },
    { name: 'models', path: '/models' },
    { name: 'calls', path: '/calls' },
    { name: 'live', path: '/live' },
    { name: 'plans', path: '/plans' },
    { name: 'prices', path: '/prices' },
    { name: 'credits', path: '/credits' },
    { name: 'shared-costs', path: '/shared-costs' },
    { name: 'waste', path: `/waste?swap=${swap}` },
    { name: 'what-if', path: '/what-if' },
    { name: 'revenue', path: '/revenue' },
    { name: 'reconciliation', path: `/reconciliation?month=${dayOf(2).slice(0, 7)}` },
    { name: 'closes', path: '/closes' },
    { name: 'budgets', path: '/budgets' },
    { name: 'alerts', path: '/alerts' },
    { name: 'report', path: '/report' },
    { name: 'connect', path: '/connect' },
    { name: 'settings', path: '/settings' },
  ];
}

let taken = 0;

async function takePicture({ window }: Visitor, name: string): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    await window.emulateMedia({ colorScheme: scheme });
    // Charts are drawn again in the other colours.
    await window.waitForTimeout(300);
    await window.screenshot({ path: join(values.out, `${name}${scheme === 'dark' ? '-dark' : ''}.png`) });
    taken += 1;
  }
}

const { project: internal } = await fillDemo(demo, { name: 'Support desk', type: 'internal', days, now });
const { project: revenue } = await fillDemo(demo, { name: 'Demo', type: 'revenue', days, now });
await addAround(revenue);
const only = values.only?.split(',');
const views = listViews().filter(({ name }) => only?.includes(name) ?? true);

mkdirSync(values.out, { recursive: true });
const visitor = await visit(await openChromium(), service, { width: Number(values.width), height });
await visitor.signIn(service.adminToken);
for (const { name, path, of } of views) {
  const project = of === 'internal' ? internal : revenue;
  await visitor.open(`${path}${path.includes('?') ? '&' : '?'}project=${project}`);
  await takePicture(visitor, name);
}
// Dialogs and panels that open over the page.
if (only?.includes('palette') ?? true) {
  await visitor.open(`/?project=${revenue}`);
  await visitor.window.keyboard.press('Control+k');
  await visitor.window.getByRole('combobox', { name: /^Go to/ }).fill('no');
  await visitor.window.getByRole('option', { name: 'Northwind' }).waitFor();
  await takePicture(visitor, 'palette');
}
await visitor.close();
await service.stop();
console.log(`${taken} pictures in ${values.out}`);
process.exit(0);
