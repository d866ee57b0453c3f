import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { costEvent, type Project, sharedFarthing } from '../support/client.ts';
import { commandsOf } from './as-admin.ts';
import { runInHost } from './command.ts';

const farthing = sharedFarthing();
const commands = commandsOf(farthing);
const folder = mkdtempSync(join(tmpdir(), 'farthing-invoices-'));
let project: Project;
let of: string[];

beforeAll(async () => {
  project = await farthing.createProject();
  of = ['--project', project.id];
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const pageOf = (...results: readonly [lineItem: string | null, value: number][]) =>
  JSON.stringify({
    object: 'page',
    data: [
      {
        ...{ object: 'bucket', start_time: Date.UTC(2024, 4, 15) / 1_000, end_time: Date.UTC(2024, 4, 16) / 1_000 },
        results: results.map(([line_item, value]) => ({ amount: { value, currency: 'usd' }, line_item })),
      },
    ],
    has_more: false,
    next_page: null,
  });

test('D13.2, D18.1: invoices are imported, listed, compared with the costs, and deleted', async () => {
  await project.post(costEvent({ cost: 3, model: 'gpt-4o', provider: 'openai' }));
  const whole = write('whole.json', pageOf([null, 5]));
  const imported = await commands.run('invoices', 'import', '--from', 'openai-costs', whole, ...of);
  expect(imported).toContain('1 entry stored, $5.00 in all.');
  const grouped = write('grouped.json', pageOf(['gpt-4o-2024-08-06, input', 1.5], ['gpt-4o-2024-08-06, output', 3.5]));
  const again = ['invoices', 'import', '--from', 'openai-costs', grouped, ...of];
  expect(await commands.run(...again)).toContain('These days have 1 entry more of openai-costs.');
  expect(await commands.runJson(...again, '--replace')).toEqual({ stored: 2, deleted: 1, others: 0 });
  expect(await commands.run('invoices', ...of)).toMatch(
    /gpt-4o-2024-08-06 .* usage .* \$1\.50 .* gpt-4o-2024-08-06, input/,
  );

  const range = ['--from', '2024-05-01', '--to', '2024-05-31'];
  const shown = await commands.run('reconcile', ...range, '--group-by', 'model', ...of);
  expect(shown).toMatch(/2024-05-01 to 2024-05-31, gpt-4o /);
  expect(shown).toMatch(/difference .* \$2\.00 \(66\.67%\)/);
  expect(await commands.runJson('reconcile', ...range, '--aggregate', 'month', ...of)).toMatchObject({
    rows: [{ computed: 3, invoiced: 5, difference: 2, parts: [{ kind: 'rest', amount: 2 }] }],
  });
  const deleted = ['invoices', 'delete', '--provider', 'openai', ...range, ...of];
  expect(await commands.runJson(...deleted)).toEqual({ deleted: 2 });
  expect(await commands.fail('invoices', 'delete', 'unknown', ...of)).toContain('no entry');
  expect(await commands.fail('invoices', 'delete', '--provider', 'openai', ...of)).toContain('--from and --to');
});

test('D30.3: a bill in FOCUS that was corrected says which entries it no longer has, and replaces them if told to', async () => {
  const bill = (...rows: readonly [sku: string, cost: string][]) =>
    [
      'ProviderName,ServiceName,BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,SkuId',
      ...rows.map(
        ([sku, cost]) => `AWS,Amazon Bedrock,${cost},USD,Usage,2024-05-20 03:00:00,2024-05-20 04:00:00,${sku}`,
      ),
    ].join('\n');
  const first = write('first.csv', bill(['in', '1'], ['in', '0.5'], ['out', '2']));
  const corrected = write('corrected.csv', bill(['in', '1.25']));
  const { id } = await farthing.createProject();
  const load = ['invoices', 'import', '--project', id, '--from', 'focus'];
  for (let nth = 0; nth < 2; nth += 1) {
    expect(await commands.runJson(...load, first)).toEqual({ stored: 2, deleted: 0, others: 0 });
  }
  expect(await commands.run(...load, corrected)).toContain('These days have 1 entry more of focus.');
  expect(await commands.runJson(...load, corrected, '--replace')).toEqual({ stored: 1, deleted: 1, others: 0 });
});

test('D18.1: a CSV with a fault stores nothing, and says where each fault is', async () => {
  const good = write('good.csv', 'date;amount\n2024-05-15;1,50\n2024-05-16;-0,25\n');
  const bad = write('bad.csv', 'date,provider,amount\n2024-05-15,openai,"1,234"\n2024-05-32,openai,2\n');
  const settings = { FARTHING_URL: farthing.url, FARTHING_ADMIN_TOKEN: farthing.adminToken };
  const { code, stderr } = await runInHost(
    ['invoices', 'import', '--from', 'csv', good, bad, '--provider', 'x', ...of],
    settings,
  );
  expect([code, stderr.trim().split('\n')]).toEqual([
    1,
    [
      expect.stringMatching(/bad\.csv, line 2, column 3 \(amount\): 1,234 can be read in two ways/),
      expect.stringMatching(/bad\.csv, line 3, column 1 \(date\): must be a day that exists/),
      'Nothing was stored: the files have 2 faults.',
    ],
  ]);
  expect(await commands.runJson('invoices', 'list', ...of)).toEqual({ entries: [] });
  expect(await commands.run('invoices', 'import', '--from', 'csv', good, '--provider', 'openai', ...of)).toContain(
    '2 entries stored, $1.25 in all.',
  );
});

test('D30.3: a cloud’s export in FOCUS is imported from several files, and again without doubles', async () => {
  const line = (service: string, cost: string) =>
    `${cost},USD,Usage,2024-06-02T00:00:00Z,2024-06-01T00:00:00Z,AWS,${service}\n`;
  const header =
    'BilledCost,BillingCurrency,ChargeCategory,ChargePeriodEnd,ChargePeriodStart,ProviderName,ServiceName\n';
  const first = write('1.csv', header + line('Amazon Bedrock', '1.5') + line('Amazon EC2', '90'));
  const second = write('2.csv', header + line('Amazon Bedrock', '0.25'));
  const args = ['invoices', 'import', '--from', 'focus', first, second, ...of];
  expect(await commands.run(...args)).toContain('1 entry stored, $1.75 in all.');
  expect(await commands.runJson(...args)).toEqual({ stored: 1, deleted: 0, others: 0 });
  const listed = await commands.run('invoices', '--provider', 'aws', ...of);
  expect(listed).toMatch(/2024-06-01 .* usage .* \$1\.75 .* Amazon Bedrock/);
});
