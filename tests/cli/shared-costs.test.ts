import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { costEvent, sharedFarthing } from '../support/client.ts';
import { commandsOf } from './as-admin.ts';

const farthing = sharedFarthing();
const commands = commandsOf(farthing);
const folder = mkdtempSync(join(tmpdir(), 'farthing-shared-costs-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

test('D13.2, D31: shared costs are imported from CSV and JSON, listed, exported with costs, and deleted', async () => {
  const project = await farthing.createProject();
  const of = ['--project', project.id];
  await project.post(costEvent({ cost: 3, model: 'm1', customer: 'acme' }), costEvent({ cost: 1, model: 'm2' }));
  const csv = write(
    'may.csv',
    `external_id,name,amount,date_from,date_to,allocate_by,models
gpu,"GPU, large",31.00,2024-05-01,2024-05-31,calls,m1|m3
seats,Seats,2,2024-05-15,,cost,
`,
  );
  const entry = { external_id: 'store', name: 'Vectors', amount: 5, date_from: '2024-05-15', allocate_by: 'calls' };
  const tagged = { ...entry, external_id: 'none', scope: { tags: { team: ['a', 'b'] } } };
  const json = write('may.json', JSON.stringify({ entries: [entry, tagged] }));
  expect(await commands.run('shared-costs', 'import', csv, ...of)).toContain('2 entries stored.');
  expect(await commands.runJson('shared-costs', 'import', csv, ...of)).toEqual({ stored: 2 });
  expect(await commands.runJson('shared-costs', 'import', json, ...of)).toEqual({ stored: 2 });
  const listed = await commands.run('shared-costs', ...of, '--from', '2024-05-15');
  expect(listed).toMatch(/gpu .* GPU, large .* 2024-05-31 .* \$31\.00 .* calls .* models: m1, m3/);
  expect(listed).toMatch(/none .* team: a, b/);
  expect(await commands.run('shared-costs', 'list', ...of, '--to', '2024-05-14')).not.toContain('seats');

  const asked = ['export', 'costs', ...of, '--from', '2024-05-15', '--to', '2024-05-15', '--aggregate', 'all'];
  const lines = (await commands.run(...asked, '--group-by', 'model', '--include-shared')).trim().split('\n').slice(1);
  // The GPU falls to m1, three quarters of the seats too, half of the store to each; the rest is of nobody.
  expect(lines.map((line) => line.split(',').slice(2, 5))).toEqual([
    ['', '5', '5'],
    ['m1', '8', '5'],
    ['m2', '4', '3'],
  ]);
  expect(await commands.run('shared-costs', 'delete', 'gpu', ...of)).toContain('Deleted.');
  expect(await commands.fail('shared-costs', 'delete', 'gpu', ...of)).toContain('no shared cost');
  const faults: [name: string, text: string, told: string][] = [
    ['broken.json', '[{', 'is not JSON'],
    ['list.json', '{}', 'no list of entries'],
    ['empty.csv', 'external_id,name\n', 'no entry'],
    ['short.csv', 'external_id,name\na,b,c\n', 'is not CSV'],
  ];
  for (const [name, text, told] of faults) {
    expect(await commands.fail('shared-costs', 'import', write(name, text), ...of)).toContain(told);
  }
  expect(await commands.fail('shared-costs', 'import', join(folder, 'missing.csv'), ...of)).toContain(
    'missing.csv cannot be read: no such file or directory.',
  );
});
