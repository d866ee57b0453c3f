import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { expectStatus, onceCaughtUp, sharedFarthing } from '../support/client.ts';
import { poll } from '../support/poll.ts';
import { freePort } from '../support/ports.ts';
import { runInHost, startCommand } from './command.ts';

const farthing = sharedFarthing();
const folder = mkdtempSync(join(tmpdir(), 'farthing-import-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A project of its own: what the import posts as, and how many dollars are in it. */
async function newProject() {
  const admin = async (path: string, body: unknown) => {
    const answer = await fetch(`${farthing.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${farthing.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(201);
    return (await answer.json()) as Record<string, string>;
  };
  const project = await admin('/admin/projects/', { name: 'import' });
  const client = await admin(`/admin/projects/${project.id}/clients/`, {});
  const key = await admin(`/admin/projects/${project.id}/api-keys/`, {});
  return {
    settings: {
      FARTHING_URL: farthing.url,
      FARTHING_CLIENT_ID: client.client_id ?? '',
      FARTHING_CLIENT_SECRET: client.secret ?? '',
    },
    totalCost: async () => {
      const body = { date_from: '2026-01-01', date_to: '2026-01-31', aggregate: 'all' };
      const answer = await onceCaughtUp(() => farthing.send('POST', '/api/costs/', { token: key.api_key ?? '', body }));
      const { rows } = expectStatus(answer, 200) as { rows: { cost: number }[] };
      return rows[0]?.cost;
    },
  };
}

const line = (fields: object = {}) =>
  JSON.stringify({
    event_id: randomUUID(),
    event_type: 'x.after',
    timestamp: '2026-01-15T12:00:00Z',
    cost: 1,
    ...fields,
  });

/** The URL of a server that stands in for the service. */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

test('an import that is killed goes on where it was, and counts nothing twice', async () => {
  const project = await newProject();
  const file = join(folder, 'killed.ndjson');
  // A batch that is acknowledged, and one that is stored and never is.
  const events = 5_001;
  writeFileSync(file, `${Array.from({ length: events }, () => line()).join('\n')}\n`);
  const stored: number[] = [];
  let isKilled = false;
  const between = createServer(async (request, response) => {
    const { authorization = '' } = request.headers;
    const headers = { authorization, 'content-type': 'application/x-ndjson' };
    const body = await text(request);
    const answer = await fetch(`${farthing.url}${request.url}`, { method: 'POST', headers, body });
    const { accepted } = (await answer.json()) as { accepted: number };
    stored.push(accepted);
    if (accepted > 1 || isKilled) response.end(JSON.stringify({ ok: true, accepted }));
  });
  const settings = { ...project.settings, FARTHING_URL: await listen(between) };

  const interrupted = startCommand(['import', file], settings);
  const ended = new Promise((resolve) => interrupted.once('exit', resolve));
  await poll('one batch is acknowledged and both are stored', { within: 60_000, every: 20 }, () =>
    stored.length === 2 && existsSync(`${file}.import-state`) ? true : undefined,
  );
  interrupted.kill('SIGKILL');
  await ended;
  isKilled = true;
  const { offset, accepted } = JSON.parse(readFileSync(`${file}.import-state`, 'utf8')) as {
    offset: number;
    accepted: number;
  };
  expect(offset).toBeGreaterThan(0);
  expect(accepted).toBe(events - 1);
  const resumed = await runInHost(['import', file, '--json'], settings);
  await close(between);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stderr).toContain(`Continuing at byte ${offset}`);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ accepted: events, refused: 0 });
  expect(existsSync(`${file}.import-state`)).toBe(false);
  expect(await project.totalCost()).toBe(events);
});

test('lines that are refused are kept with their reasons, and the others are stored', async () => {
  const project = await newProject();
  const file = join(folder, 'refused.ndjson');
  const bad = ['{"event_type":"x.after"}', 'no JSON'];
  // Without a newline at its end, with empty lines between.
  writeFileSync(file, [line(), bad[0], '', line(), bad[1], line()].join('\n'));
  const result = await runInHost(['import', file], project.settings);
  expect(result.code).toBe(1);
  expect(result.stderr).toContain('2 lines were refused');
  const refused = readFileSync(`${file}.refused`, 'utf8')
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one) as unknown);
  expect(refused).toMatchObject([
    { pointer: '/event_id', line: bad[0] },
    { pointer: '', line: bad[1] },
  ]);
  expect(await project.totalCost()).toBe(3);
});

test('a wrong secret is said in one line', async () => {
  const project = await newProject();
  const file = join(folder, 'wrong.ndjson');
  writeFileSync(file, line());
  const result = await runInHost(['import', file, '--secret', 'fs_wrong'], project.settings);
  expect(result.code).toBe(1);
  expect(result.stderr.trim()).toBe(
    'The client is unknown or the secret is not valid: check --client-id and --secret.',
  );
});

test('an import says at once that no service answers, and goes on when one does', async () => {
  const file = join(folder, 'away.ndjson');
  writeFileSync(file, `${Array.from({ length: 12_000 }, () => line()).join('\n')}\n`);
  const port = await freePort();
  const settings = {
    FARTHING_URL: `http://127.0.0.1:${port}`,
    ...{ FARTHING_CLIENT_ID: 'c', FARTHING_CLIENT_SECRET: 's' },
  };
  const waiting = startCommand(['import', file], settings);
  const ended = new Promise<number | null>((resolve) => waiting.once('close', resolve));
  let said = '';
  waiting.stderr?.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  await poll('it says that it waits', { within: 60_000, every: 20 }, () => said || undefined);
  const intake = createServer((request, response) => {
    request.resume().once('end', () => response.end('{"ok":true,"accepted":4000}'));
  });
  await new Promise<void>((resolve) => intake.listen(port, '127.0.0.1', resolve));
  expect(await ended).toBe(0);
  await close(intake);
  expect(said.trim()).toBe(`No service answers at http://127.0.0.1:${port}. Trying again for up to 5 minutes.`);
});

test.each([
  [['--in-order'], 1],
  [[], 3],
])('with %j at most %i batches are under way at once', async (options, most) => {
  const file = join(folder, `order-${most}.ndjson`);
  writeFileSync(file, `${Array.from({ length: 16_000 }, () => line()).join('\n')}\n`);
  let underWay = 0;
  let highest = 0;
  const intake = createServer((request, response) => {
    underWay += 1;
    highest = Math.max(highest, underWay);
    request.resume().once('end', () => {
      // Long enough for the next one to come, if it is sent at all.
      setTimeout(() => {
        underWay -= 1;
        response.end('{"ok":true,"accepted":5000}');
      }, 300);
    });
  });
  const settings = { FARTHING_URL: await listen(intake), FARTHING_CLIENT_ID: 'c', FARTHING_CLIENT_SECRET: 's' };
  const { code, stderr } = await runInHost(['import', file, ...options], settings);
  await close(intake);
  expect(code, stderr).toBe(0);
  expect(highest).toBe(most);
});
