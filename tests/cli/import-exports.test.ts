import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CommandError } from '../../src/cli/api.ts';
import { importExports } from '../../src/cli/import-exports.ts';
import { importSources } from '../../src/ingest/imports/sources.ts';
import { onceCaughtUp, sharedFarthing } from '../support/client.ts';
import { isLong, usualOrLong } from '../support/effort.ts';
import { runInHost } from './command.ts';

const farthing = sharedFarthing();
let project: Awaited<ReturnType<typeof newProject>>;
const folder = mkdtempSync(join(tmpdir(), 'farthing-exports-'));

beforeAll(async () => {
  project = await newProject();
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const send = async (method: string, path: string, token: string, body?: unknown) => {
  const answer = await onceCaughtUp(() => farthing.send(method, path, { token, ...(body !== undefined && { body }) }));
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer.body as Record<string, never>;
};

async function newProject() {
  const { id } = await send('POST', '/admin/projects/', farthing.adminToken, { name: 'exports' });
  const client = await send('POST', `/admin/projects/${id}/clients/`, farthing.adminToken, {});
  const key = await send('POST', `/admin/projects/${id}/api-keys/`, farthing.adminToken, {});
  const settings = {
    FARTHING_URL: farthing.url,
    FARTHING_CLIENT_ID: client.client_id ?? '',
    FARTHING_CLIENT_SECRET: client.secret ?? '',
    FARTHING_API_KEY: key.api_key ?? '',
  };
  return { settings, api: (path: string, body: unknown) => send('POST', path, settings.FARTHING_API_KEY, body) };
}

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/imports/${name}`, import.meta.url));

/** A copy that the import may put its refused lines beside. */
function copy(name: string, change: (text: string) => string | Uint8Array = (text) => text): string {
  const path = join(folder, `${randomUUID()}-${name}`);
  writeFileSync(path, change(readFileSync(fixture(name), 'utf8')));
  return path;
}

/** Runs an import as the command does, without the second that a process takes to start. */
async function importFrom(source: keyof typeof importSources, files: readonly string[], apiKey?: string) {
  const { FARTHING_CLIENT_ID: clientId, FARTHING_CLIENT_SECRET: secret, FARTHING_API_KEY: ownKey } = project.settings;
  const access = { url: farthing.url, clientId, secret, apiKey: apiKey ?? ownKey, token: undefined };
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  try {
    const error = await importExports(importSources[source], files, { access, json: true }).catch((cause: unknown) => {
      expect(cause).toBeInstanceOf(CommandError);
      return (cause as CommandError).message;
    });
    const stdout = printed.mock.calls.flat().join('\n');
    return {
      stderr: [...said.mock.calls.flat(), error ?? ''].join('\n'),
      failed: error !== undefined,
      result: stdout === '' ? undefined : (JSON.parse(stdout) as Record<string, unknown>),
    };
  } finally {
    printed.mockRestore();
    said.mockRestore();
  }
}

interface Listed {
  readonly event_id: string;
  readonly cost: number;
  readonly cost_source: string;
  readonly [field: string]: unknown;
}

async function callsOf(models: readonly string[]): Promise<Listed[]> {
  const body = { date_from: '2026-01-01', date_to: '2026-01-31', models, limit: 1000 };
  return ((await project.api('/api/calls/', body)) as unknown as { rows: Listed[] }).rows;
}

test.each([
  ['langfuse', 'langfuse-blob.jsonl', { records: 7, calls: 5, others: 2, cost: 0.009595, source_cost: 0.00962 }],
  ['helicone', 'helicone.jsonl', { records: 4, calls: 4, others: 0, cost: 0.0051, source_cost: 0.005325 }],
  // The row that failed has a total, and 0 on both sides: that is told.
  [
    'litellm',
    'litellm-spend-logs.json',
    { records: 3, calls: 3, others: 0, cost: 0.000225, source_cost: 0.000225, unpriced: 1 },
  ],
  // $20.25, $11.25 for the batch, whose cached tokens cost as much, and 2,500 million tokens in three events.
  ['openai-usage', 'openai-usage.json', { records: 3, calls: 5, others: 0, cost: 6281.5, source_cost: null }],
] as const)(
  'D16.2: an export of %s is imported, and once more without counting twice',
  async (source, name, expected) => {
    const first = await importFrom(source, [copy(name)]);
    expect(first.failed, first.stderr).toBe(false);
    expect(first.result).toMatchObject({ refused: 0, unpriced: 0, not_found: 0, ...expected });
    const total = async () => {
      const body = { date_from: '2026-01-01', date_to: '2026-01-31', aggregate: 'all' };
      return (await project.api('/api/costs/', body)).rows;
    };
    const before = await total();
    // Compressed, and given twice at once.
    const again = await importFrom(source, [copy(name, (text) => gzipSync(text)), copy(name)]);
    expect(again.result).toMatchObject({
      calls: expected.calls,
      cost: expected.cost,
      source_cost: expected.source_cost,
    });
    expect(await total()).toEqual(before);
    const stored = await project.api('/api/calls/', { date_from: '2026-01-01', date_to: '2026-01-31', limit: 1000 });
    expect(JSON.stringify(stored)).not.toContain('SECRET');
  },
);

test('D16.2: calls keep their times, customers, users and runs; the innermost of nested ones counts', async () => {
  await importFrom('langfuse', [copy('langfuse-blob.jsonl')]);
  await importFrom('helicone', [copy('helicone.jsonl')]);
  const rows = await callsOf(['gpt-4o-2024-08-06', 'house-model-7b']);
  const named = {
    customer: 'acme',
    user: 'ann',
    feature: 'summarize',
    time: '2026-01-15T10:00:01.750Z',
    elapsed_ms: 1500,
  };
  expect(rows).toContainEqual(
    expect.objectContaining({
      ...named,
      run: 'trace-1',
      cost: 0.001875,
      cost_source: 'catalogue',
      tags: expect.objectContaining({ plan: 'pro' }),
    }),
  );
  expect(rows).toContainEqual(expect.objectContaining({ run: 'trace-1', cost: 0.0042, cost_source: 'reported' }));
  expect(rows.filter(({ tags }) => (tags as { name?: string }).name === 'wrapper')).toEqual([]);
  expect(rows).toContainEqual(expect.objectContaining({ ...named, run: 'chat-9', provider: 'openai', cost: 0.001875 }));
  expect(rows).toContainEqual(expect.objectContaining({ cost: 0, cost_source: 'gateway_cache', run: 'chat-9' }));
});

test('D16.2, D16.1: a call that came by the callback and by the spend logs is one call', async () => {
  const record = { id: 'chatcmpl-both', model: 'both-ways', startTime: 1768471200, response_cost: 0.5 };
  const { FARTHING_CLIENT_ID: client, FARTHING_CLIENT_SECRET: secret } = project.settings;
  await send('POST', `/intake/${client}/litellm/`, secret, [record]);
  const rows = JSON.stringify([
    { request_id: 'chatcmpl-both', model: 'both-ways', startTime: '2026-01-15T10:00:00Z', spend: 0.5 },
  ]);
  const file = join(folder, 'both.json');
  writeFileSync(file, rows);
  expect((await importFrom('litellm', [file])).result).toMatchObject({ calls: 1, cost: 0.5, source_cost: 0.5 });
  expect(await callsOf(['both-ways'])).toHaveLength(1);
});

test('D16.2: CSV of the same requests makes the same calls', async () => {
  const usage = await importFrom('openai-usage', [copy('openai-usage.json'), copy('openai-usage.csv')]);
  expect(usage.result).toMatchObject({ records: 4, calls: 5 });
  const helicone = await importFrom('helicone', [copy('helicone.jsonl'), copy('helicone.csv')]);
  expect(helicone.result).toMatchObject({ records: 5, calls: 4 });
  const [row] = (await callsOf(['gpt-4o-2024-08-06'])).filter(({ run }) => run === 'chat-9');
  expect(row).toMatchObject({ customer: 'acme', user: 'ann' });
});

test('D16.2: prices by the size of a prompt are those of the average of the requests that are summed up', async () => {
  const usage = {
    model: 'gemini-2.5-pro',
    provider: 'google',
    prompt_tokens: 1_000_000,
    timestamp: '2026-01-20T10:00:00Z',
  };
  const { FARTHING_CLIENT_ID: client, FARTHING_CLIENT_SECRET: secret } = project.settings;
  await send('POST', `/intake/${client}/`, secret, [
    { ...usage, event_id: randomUUID(), event_type: 'one.after' },
    { ...usage, event_id: randomUUID(), event_type: 'sum.after', num_requests: 10 },
  ]);
  const rows = await callsOf(['gemini-2.5-pro']);
  expect(rows.map(({ cost }) => cost).toSorted()).toEqual([1.25, 2.5]);
});

test('D16.2: bad records are named with file and line, and the rest goes on', async () => {
  const file = copy('langfuse-blob.jsonl', (text) =>
    ['{"id": "cut', '7', '{"id":"x","type":"GENERATION"}', ...text.split('\n')].join('\n'),
  );
  const { failed, stderr, result } = await importFrom('langfuse', [file]);
  expect(failed).toBe(true);
  expect(stderr).toContain(`${file}:1 is not JSON`);
  expect(stderr).toContain(`${file}:2 is not a JSON object`);
  expect(stderr).toContain(`${file}:3 has no startTime`);
  expect(stderr).toContain('3 records were not imported');
  expect(result).toMatchObject({ records: 10, calls: 5, refused: 3 });
  const refused = readFileSync(`${file}.refused`, 'utf8').trim().split('\n');
  expect(refused.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual([1, 2, 3]);
});

test('D16.2: files of something else are refused with what to export, and wrong keys before anything is stored', async () => {
  const events = join(folder, 'events.ndjson');
  writeFileSync(events, '{"event_id":"0198c0de-0000-7000-8000-0000000000aa","event_type":"chat.after"}\n');
  for (const source of Object.keys(importSources) as (keyof typeof importSources)[]) {
    const { failed, stderr } = await importFrom(source, [events]);
    expect(failed).toBe(true);
    expect(stderr).toMatch(/has no record of .*: (?:export|save) /);
  }
  const wrongKey = await importFrom('litellm', [copy('litellm-spend-logs.json')], 'fk_wrong');
  expect(wrongKey).toMatchObject({
    failed: true,
    result: undefined,
    stderr: expect.stringContaining('The API key is not valid'),
  });
  const unknown = await runInHost(['import', '--from', 'nobody', events], project.settings);
  expect(unknown.stderr).toContain('langfuse, helicone, litellm, openai-usage');
});

test('D16.2: the table shows what the calls cost, here and there, and the largest differences', async () => {
  const { code, stdout } = await runInHost(['import', '--from', 'helicone', copy('helicone.jsonl')], project.settings);
  expect(code).toBe(0);
  for (const text of ['records read', 'calls made', '$0.0051', '$0.005325', 'gpt-4o-2024-08-06', '-$0.000225']) {
    expect(stdout).toContain(text);
  }
  const { FARTHING_API_KEY: _, ...withoutKey } = project.settings;
  const blind = await runInHost(['import', '--from', 'helicone', copy('helicone.jsonl')], withoutKey);
  expect(blind.stdout).toContain('Give --api-key');
});

test('D16.2: totals of an import are the sums of its records, however they are split, repeated and written', async () => {
  const record = fc.record({
    id: fc.integer({ min: 0, max: 40 }),
    model: fc.constantFrom('sum-a', 'sum-b', 'sum-c'),
    // Millionths of a dollar: sums of them are exact.
    micros: fc.integer({ min: 1, max: 5_000_000 }),
    files: fc.uniqueArray(fc.integer({ min: 0, max: 2 }), { minLength: 1 }),
  });
  const histories = fc.uniqueArray(record, { minLength: 1, maxLength: 30, selector: ({ id }) => id });
  await fc.assert(
    fc.asyncProperty(histories, async (records) => {
      const run = randomUUID();
      const rowsOf = (file: number) =>
        records
          .filter(({ files }) => files.includes(file))
          .map(({ id, model, micros }) => ({
            request_id: `${run}-${id}`,
            model,
            spend: micros / 1e6,
            startTime: '2026-01-15T10:00:00Z',
          }));
      const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
      const csv = (rows: readonly object[]) =>
        ['request_id,model,spend,startTime', ...rows.map((row) => Object.values(row).join(','))].join('\n');
      const paths = [JSON.stringify(rowsOf(0), null, 1), lines(rowsOf(1)), csv(rowsOf(2))].map((text, index) => {
        const path = join(folder, `${run}-${index}`);
        writeFileSync(path, text);
        return path;
      });
      const { failed, result, stderr } = await importFrom('litellm', paths);
      expect(failed, stderr).toBe(false);
      const micros = records.reduce((sum, one) => sum + one.micros, 0);
      expect(result).toMatchObject({
        records: records.reduce((sum, { files }) => sum + files.length, 0),
        calls: records.length,
        cost: micros / 1e6,
        source_cost: micros / 1e6,
        differences: [],
      });
    }),
    // The first cases of fast-check are mostly small ones. The only case has to be whole.
    { numRuns: usualOrLong(1, 60), unbiased: !isLong },
  );
});
