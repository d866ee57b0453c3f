import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing, wholeRange } from '../support/client.ts';
import { closeDays } from '../support/closes.ts';
import { expectParquet, readParquet, rowsOf } from '../support/formats.ts';
import { commandsOf } from './as-admin.ts';
import { runCommand, runInHost } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'farthing-export-'));
const farthing = sharedFarthing();
const commands = commandsOf(farthing);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const importInto = async (project: Project, file: string) => {
  const { code, stderr } = await runInHost(['import', file, '--in-order'], {
    FARTHING_URL: farthing.url,
    FARTHING_CLIENT_ID: project.clientId,
    FARTHING_CLIENT_SECRET: project.secret,
  });
  expect(code, stderr).toBe(0);
};
const at = { event_type: 'llm.after', timestamp: '2024-05-15T12:00:00Z' };

test('D13.2: exported events are byte for byte those that were posted, and make the same numbers elsewhere', async () => {
  const project = await farthing.createProject();
  const id = randomUUID();
  const posted = [
    `{"event_id":"${id}","event_type":"llm.after","timestamp":"2024-05-15T12:00:00Z","cost":1.0,"n":12345678901234567890,"n":1e-400}`,
    `{\n  "event_id": "${id}",\r\n  "event_type": "llm.after", "timestamp": "2024-05-16T12:00:00Z",\n  "cost": 2.50,\n  "text": "a\\nb é \u2028"\n}`,
  ];
  for (const raw of posted) expectStatus(await project.intake({ raw }), 200);
  const many = Array.from({ length: 2_500 }, (_, n) =>
    costEvent({ cost: n / 1_000, tags: { customer: `c${n % 7}`, feature: `f${n % 3}` } }),
  );
  await project.post(...many);

  const file = join(folder, 'events.ndjson');
  const settings = { FARTHING_URL: farthing.url, FARTHING_ADMIN_TOKEN: farthing.adminToken };
  const exporting = ['export', 'events', '--project', project.id];
  const { code, stdout, stderr } = await runInHost([...exporting, '--out', file], settings);
  expect([code, stdout, stderr]).toEqual([0, '', `Wrote 2,502 events to ${file}.\n`]);
  const lines = [
    ...posted.map((text) => text.replaceAll(/[\r\n]/g, '')),
    ...many.map((event) => JSON.stringify(event)),
  ];
  expect(readFileSync(file, 'utf8')).toBe(lines.map((line) => `${line}\n`).join(''));
  // To a pipe, of which a process of its own knows.
  expect((await runCommand(exporting, settings)).stdout).toBe(readFileSync(file, 'utf8'));

  const copy = await farthing.createProject();
  await importInto(copy, file);
  for (const query of [
    { group_by: 'customer' },
    { group_by: 'feature' },
    { aggregate: 'day', date_from: '2024-05-14', date_to: '2024-05-17' },
  ] as Json[]) {
    const asked = { ...wholeRange, aggregate: 'all', ...query };
    expect(await copy.allCosts(asked)).toEqual(await project.allCosts(asked));
  }
  expect(await copy.totalCost()).toBe(await project.totalCost());
  const again = join(folder, 'again.ndjson');
  await commands.run('export', 'events', '--project', copy.id, '--out', again);
  expect(readFileSync(again, 'utf8')).toBe(readFileSync(file, 'utf8'));
});

test('D13.2: events are exported by when they were received: days of the project, or instants', async () => {
  const project = await farthing.createProject({ timezone: 'Pacific/Kiritimati' });
  await project.post(costEvent({ cost: 1 }));
  const [row] = Object(expectStatus(await project.api('GET', '/api/events/'), 200)).rows;
  const received = Date.parse(row.received_at);
  const day = (offset: number) => new Date(received + 14 * 3_600_000 + offset * 86_400_000).toISOString().slice(0, 10);
  const count = async (...options: string[]) =>
    (await commands.run('export', 'events', '--project', project.id, ...options)).split('\n').length - 1;
  expect(
    await Promise.all([
      count('--from', day(0), '--to', day(0)),
      count('--to', day(-1)),
      count('--from', day(1), '--to', day(2)),
      count('--from', new Date(received).toISOString()),
      count('--to', new Date(received).toISOString()),
    ]),
  ).toEqual([1, 0, 0, 1, 0]);
  expect(await commands.fail('export', 'events', '--project', project.id, '--from', 'May')).toContain(
    '--from must be a time',
  );
});

test('D13.2: costs and usage are exported as CSV with all pages, and text that could be a formula is guarded', async () => {
  const project = await farthing.createProject();
  const names = ['=1+1', '+1', '-1', '@sum', '\ttab', '\rreturn', 'with "quotes", commas', 'line\nbreak', 'plain', ''];
  await project.post(
    ...names.map((customer, n) => ({
      ...at,
      event_id: randomUUID(),
      cost: n + 0.5,
      prompt_tokens: 10,
      web_searches: n,
      tags: { customer },
    })),
    ...Array.from({ length: 1_100 }, (_, n) => costEvent({ cost: 0, tags: { customer: `zz${n}` } })),
  );
  const range = ['--project', project.id, '--from', '2024-05-01', '--to', '2024-05-31', '--aggregate', 'all'];
  const csv = await commands.run('export', 'costs', ...range, '--group-by', 'customer');
  expect(csv.split('\n')[0]).toBe('date_from,date_to,customer,cost,avg_feature_run_cost,max_feature_run_cost');
  const cell: Record<string, string> = {
    '=1+1': "'=1+1",
    '+1': "'+1",
    '-1': "'-1",
    '@sum': "'@sum",
    '\ttab': "'\ttab",
    '\rreturn': `"'\rreturn"`,
    'with "quotes", commas': '"with ""quotes"", commas"',
    'line\nbreak': '"line\nbreak"',
  };
  for (const [n, name] of names.entries()) {
    expect(csv).toContain(`\n2024-05-01,2024-05-31,${cell[name] ?? name},${n + 0.5},0,0\n`);
  }
  expect(csv.match(/^2024-05-01/gm)).toHaveLength(1_110);

  // By a tag of calls, which all of these lack.
  const byTag = await commands.run('export', 'costs', ...range, '--group-by', 'tag:customer_of_nobody');
  expect(byTag.split('\n')[0]).toBe('date_from,date_to,tag,cost,avg_feature_run_cost,max_feature_run_cost');
  expect(byTag.match(/^2024-05-01/gm)).toHaveLength(1);
  expect(await commands.fail('export', 'margin', ...range, '--group-by', 'tag:env')).toContain(
    'Allowed choices are customer, customer_tag:KEY.',
  );

  const rows = (await commands.run('export', 'costs', ...range, '--group-by', 'customer', '--json')).trim().split('\n');
  expect(rows).toHaveLength(1_110);
  expect(JSON.parse(rows[0] ?? '')).toEqual({
    date_from: '2024-05-01',
    date_to: '2024-05-31',
    customer: '',
    cost: 9.5,
    avg_feature_run_cost: 0,
    max_feature_run_cost: 0,
  });

  await project.tag(
    { customer_name: '=1+1', tags: { plan: 'pro=2' } },
    { customer_name: 'plain', tags: { plan: 'free' } },
  );
  const filtered = (...options: string[]) => commands.run('export', 'costs', ...range, ...options);
  const total = async (...options: string[]) => Number((await filtered(...options)).split('\n')[1]?.split(',')[2]);
  const file = join(folder, 'usage.csv');
  const [two, tagged, either, none] = await Promise.all([
    total('--customer', '=1+1', '--customer', 'plain'),
    total('--customer-tag', 'plan=pro=2'),
    total('--customer-tag', 'plan=pro=2', '--customer-tag', 'plan=free', '--apply-credits'),
    total('--model', 'unheard-of'),
    commands.run('export', 'usage', ...range, '--out', file),
  ]);
  expect([two, tagged, either, none]).toEqual([9, 0.5, 9, 0]);
  const usage = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const {
    rows: [asked],
  } = Object(
    expectStatus(
      await project.api('POST', '/api/usage/', { date_from: '2024-05-01', date_to: '2024-05-31', aggregate: 'all' }),
      200,
    ),
  );
  const flat = Object.entries(asked).flatMap(([name, value]) =>
    name === 'tokens'
      ? Object.entries(Object(value)).map(([bucket, count]) => [`tokens.${bucket}`, String(count)])
      : [[name, name === 'units' ? '"{""web_searches"":45}"' : String(value)]],
  );
  expect(Object.fromEntries(usage[0]?.map((header, index) => [header, usage[1]?.[index]]) ?? [])).toEqual(
    Object.fromEntries(flat),
  );
});

test('D13.2: margin and performance are exported, negative numbers as they are', async () => {
  const [project, internal] = await Promise.all([
    farthing.createProject(),
    farthing.createProject({ type: 'internal' }),
  ]);
  await project.post(
    costEvent({ cost: 5, tags: { customer: 'acme', feature: 'chat' } }),
    costEvent({ cost: 1, tags: { customer: 'other' } }),
  );
  await internal.post(costEvent({ cost: 3, tags: { user: 'ann', feature: 'chat' } }), {
    event_id: randomUUID(),
    event_type: 'ticket.solved',
    timestamp: at.timestamp,
    tags: { user: 'ann' },
  });
  await internal.keyMetric('tickets, "solved"', { event_type: 'ticket.solved', aggregation: 'count' });
  await internal.keyMetric('unused', { event_type: 'none', aggregation: 'count' });
  const range = ['--from', '2024-05-15', '--to', '2024-05-15'];
  const [margin, performance, wrong] = await Promise.all([
    commands.run(
      'export',
      'margin',
      '--project',
      project.id,
      ...range,
      '--group-by',
      'customer',
      '--used-feature',
      'chat',
    ),
    commands.run('export', 'performance', '--project', internal.id, ...range, '--group-by', 'user'),
    commands.fail('export', 'margin', '--project', internal.id, ...range, '--out', join(folder, 'wrong.csv')),
  ]);
  expect(margin).toBe(
    'date_from,date_to,customer,revenue,cost,margin,margin_pct,risk_status\n2024-05-15,2024-05-15,acme,0,5,-5,-100,unprofitable\n',
  );
  const [header, row] = performance.split('\n');
  const columns = ['value', 'total_cost', 'cost_per_unit'];
  expect(header).toBe(
    [
      'date_from,date_to,user,cost',
      ...columns.map((name) => `"key_metrics.tickets, ""solved"".${name}"`),
      ...columns.map((name) => `key_metrics.unused.${name}`),
    ].join(','),
  );
  expect(row).toBe('2024-05-15,2024-05-15,ann,3,1,3,3,,,');
  expect(wrong).toContain('/api/performance/');
  expect(readdirSync(folder).filter((name) => name.startsWith('wrong'))).toEqual([]);
});

test('D24.1, D24.2: answers are exported in every format, and costs as FOCUS', async () => {
  const project = await farthing.createProject();
  await project.post(
    ...['acme', 'globex'].map((customer) => costEvent({ cost: 1.5, customer, model: 'm1', provider: 'p' })),
  );
  const close = await closeDays(project, '2024-05-31');
  await project.post(costEvent({ cost: 2, customer: 'acme' }));
  const run = (...args: string[]) => commands.run('export', ...args, '--project', project.id);
  const days = ['--from', '2024-05-01', '--to', '2024-05-31'];
  const file = join(folder, 'calls.parquet');
  const [calls, plans, focus, customers, drift, said] = await Promise.all([
    run('calls', ...days, '--customer', 'globex', '--format', 'ndjson'),
    run('plans', ...days, '--aggregate', 'all', '--target-margin', '70', '--plan-tag', 'tier', '--format', 'ndjson'),
    run('focus', ...days),
    run('customers', '--search', 'GLO'),
    run('drift', close.id, '--json'),
    runInHost(['export', 'calls', ...days, '--format', 'parquet', '--out', file, '--project', project.id], {
      FARTHING_URL: farthing.url,
      FARTHING_ADMIN_TOKEN: farthing.adminToken,
    }),
  ]);
  expect(
    calls
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([expect.objectContaining({ customer: 'globex', cost: 1.5 })]);
  expect(JSON.parse(plans)).toMatchObject({ plan: '', customers: 2, cost: 5, below_target: 2 });
  expect(
    focus
      .split('\n')
      .slice(0, 2)
      .map((line) => line.slice(0, 40)),
  ).toEqual(['BilledCost,BillingAccountId,BillingAccou', `2,${project.id},a test,`.slice(0, 40)]);
  expect(customers.split('\n').map((line) => line.split(',')[0])).toEqual(['name', 'globex', '']);
  expect(JSON.parse(drift)).toMatchObject({ customer: 'acme', cause: 'late_events', cost: 2 });
  expect([said.code, said.stderr]).toEqual([
    0,
    `Wrote ${readFileSync(file).length.toLocaleString('en')} bytes to ${file}.\n`,
  ]);
  expectParquet(
    readParquet(readFileSync(file)),
    await rowsOf(
      project,
      { method: 'POST', path: '/api/calls/', fields: { date_from: '2024-05-01', date_to: '2024-05-31' } },
      9,
    ),
  );
  expect(await commands.fail('export', 'costs', '--from', '2024-05-01', '--format', 'xlsx')).toContain(
    'csv, ndjson, parquet',
  );
});

test('D24.1: an answer that is cut off leaves no file', async () => {
  const half = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/csv' });
    response.write('date_from,cost\n', () => response.destroy());
  });
  half.listen(0, '127.0.0.1');
  await once(half, 'listening');
  const file = join(folder, 'half.csv');
  const { code, stderr } = await runInHost(
    ['export', 'costs', '--from', '2024-05-01', '--project', 'prj_1', '--out', file],
    { FARTHING_URL: `http://127.0.0.1:${(half.address() as AddressInfo).port}`, FARTHING_ADMIN_TOKEN: 'x' },
  );
  half.close();
  expect([code, stderr]).toEqual([1, 'The connection was lost in the middle of an answer: run the command again.\n']);
  expect(readdirSync(folder).filter((name) => name.startsWith('half'))).toEqual([]);
});

test('a fault is one line, and leaves no file', async () => {
  const project = await farthing.createProject();
  const costs = ['export', 'costs', '--project', project.id, '--from', '2024-05-01'];
  const missing = join(folder, 'no-such-folder', 'costs.csv');
  const [unwritable, badTag, badDay] = await Promise.all([
    commands.fail(...costs, '--out', missing),
    commands.fail(...costs, '--customer-tag', 'plan'),
    commands.fail('export', 'costs', '--project', project.id, '--from', 'May'),
  ]);
  expect(unwritable).toBe(`${missing} cannot be written: no such file or directory.`);
  expect(existsSync(missing)).toBe(false);
  expect(badTag).toBe('--customer-tag must be key=value, such as --customer-tag plan=pro, not plan.');
  expect(badDay).toBe('--from must be a day that exists, as YYYY-MM-DD.');
});
