import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineStartError, startEmbeddedEngine } from '../../src/storage/analytic/embedded/engine.ts';
import { DEFAULT_LIMITS } from '../../src/storage/analytic/embedded/server/messages.ts';
import { dataRoot } from '../support/data-root.ts';
import { usualOrLong } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { type EngineFixture, eventually, selectRows, startFixture } from './engine-fixture.ts';

let dataDir: string;
const cleanups: (() => unknown)[] = [];
beforeEach(async () => {
  dataDir = await mkdtemp(join(dataRoot, 'farthing-lifecycle-'));
});
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<EngineFixture> {
  const fixture = await startFixture({ dataDir });
  cleanups.push(() => fixture.close());
  return fixture;
}

function killEngine({ engine }: EngineFixture): number {
  const pid = engine.pid();
  if (pid === undefined) throw new Error('there is no engine to kill');
  process.kill(pid, 'SIGKILL');
  return pid;
}

/** Starts a service of its own that holds an engine on the data folder. */
async function startHost(...query: string[]): Promise<{ host: ChildProcess; url: string; pid: number }> {
  const script = fileURLToPath(new URL('./engine-host.ts', import.meta.url));
  const host = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, dataDir, ...query], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanups.push(() => host.kill('SIGKILL'));
  const [line] = await once(host.stdout, 'data');
  return { host, ...JSON.parse(String(line)) };
}

const silent = { info: () => {}, warn: () => {}, error: () => {} };

longTest('an engine with a fault of its own ends at once: an exit could wait for its threads for ever', async () => {
  const script = fileURLToPath(new URL('../../src/storage/analytic/embedded/server.ts', import.meta.url));
  const child = fork(script, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  cleanups.push(() => child.kill('SIGKILL'));
  let printed = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const storePath = join(dataDir, 'clickhouse');
  child.send({
    type: 'start',
    storePath,
    username: 'u',
    password: 'p',
    host: '127.0.0.1',
    port: 0,
    limits: DEFAULT_LIMITS,
  });
  const [ready] = await once(child, 'message');
  expect(ready).toMatchObject({ type: 'ready' });
  // No message at all: reading its type throws.
  child.send(null as unknown as object);
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  expect(printed).toContain('TypeError');
});

describe('an engine that is killed', () => {
  longTest('is started again at the same address, and the log says so', async () => {
    const fixture = await start();
    const { url } = fixture.engine;
    const killed = killEngine(fixture);
    await eventually(async () => expect(await selectRows(fixture.client, 'SELECT 1 AS one')).toEqual([{ one: 1 }]));
    expect(fixture.engine.url).toBe(url);
    expect(fixture.engine.pid()).not.toBe(killed);
    expect(fixture.engine.restarts()).toBe(1);
    expect(fixture.logged).toContainEqual(
      expect.objectContaining({ level: 'error', details: { code: null, signal: 'SIGKILL' } }),
    );
  });

  longTest('refuses connections until it is back, so that callers can tell and repeat', async () => {
    const fixture = await start();
    killEngine(fixture);
    await expect(selectRows(fixture.client, 'SELECT 1')).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:ECONNREFUSED|ECONNRESET|EPIPE)$/),
    });
    await eventually(() => selectRows(fixture.client, 'SELECT 1'));
  });

  test('loses no insert that was acknowledged, and stores none twice that was repeated', async () => {
    const fixture = await start();
    await fixture.client.command({
      query: `CREATE TABLE log (writer UInt32, batch UInt32, row UInt32) ENGINE = MergeTree ORDER BY (writer, batch)
        SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000`,
    });
    const acknowledged: { writer: number; batch: number; rows: string }[] = [];
    let writing = true;

    const write = async (writer: number) => {
      for (let batch = 0; writing; batch += 1) {
        const values = Array.from({ length: 50 }, (_, row) => ({ writer, batch, row }));
        const clickhouse_settings = { insert_deduplication_token: `${writer}-${batch}` };
        const insert = () =>
          fixture.client.insert({ table: 'log', values, format: 'JSONEachRow', clickhouse_settings });
        await eventually(insert);
        acknowledged.push({ writer, batch, rows: '50' });
      }
    };
    const { url } = fixture.engine;
    const writers = [0, 1, 2, 3].map(write);
    for (const kill of usualOrLong([1], [1, 2, 3])) {
      const seen = acknowledged.length;
      await eventually(async () => expect(acknowledged.length).toBeGreaterThan(seen + 20));
      killEngine(fixture);
      await eventually(async () => expect(fixture.engine.restarts()).toBe(kill));
    }
    writing = false;
    await Promise.all(writers);
    expect(fixture.engine.url).toBe(url);

    const stored = 'SELECT writer, batch, count() AS rows FROM log GROUP BY writer, batch ORDER BY writer, batch';
    acknowledged.sort((left, right) => left.writer - right.writer || left.batch - right.batch);
    expect(await selectRows(fixture.client, stored)).toEqual(acknowledged);
  });
});

describe('the engine’s process', () => {
  test('ends when its parent is killed, with a query running, and the store is free again', async () => {
    const { host, url } = await startHost(
      'SELECT sleepEachRow(1) FROM numbers(600) SETTINGS max_block_size = 1 FORMAT Null',
    );
    expect((await fetch(`${url}/ping`)).status).toBe(200);
    host.kill('SIGKILL');
    await eventually(() => expect(fetch(`${url}/ping`)).rejects.toThrow('fetch failed'));
    const fixture = await start();
    expect(await selectRows(fixture.client, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  longTest('stops quickly when it is closed, even with queries running', async () => {
    const startingAt = performance.now();
    const fixture = await start();
    const startMs = performance.now() - startingAt;
    const { pid, url } = { pid: fixture.engine.pid(), url: fixture.engine.url };
    const endless = 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000)';
    const queries = [1, 2, 3].map(() => fixture.client.query({ query: endless }).catch(() => 'ended'));
    const halfRead = await fixture.client.exec({
      query: 'SELECT number FROM numbers(10000000000) FORMAT TabSeparated',
    });
    halfRead.stream.once('error', () => {});

    const closingAt = performance.now();
    await fixture.engine.close();
    // It is killed after 5 s. On a machine on which a start takes seconds, a stop may need that.
    expect(performance.now() - closingAt).toBeLessThan(Math.max(4_500, 3 * startMs));
    expect(await Promise.all(queries)).toEqual(['ended', 'ended', 'ended']);
    expect(pid).toBeTypeOf('number');
    expect(fixture.engine.pid()).toBeUndefined();
    expect(fixture.engine.restarts()).toBe(0);
    await expect(fetch(`${url}/ping`)).rejects.toThrow('fetch failed');
  });

  test('lets short queries finish when it is closed', async () => {
    const fixture = await start();
    const query = fixture.client.query({ query: 'SELECT sleep(0.5) AS slept' });
    await eventually(async () => {
      const running = "SELECT count() AS count FROM system.processes WHERE query LIKE 'SELECT sleep%'";
      expect(await selectRows(fixture.client, running)).toEqual([{ count: '1' }]);
    });
    await fixture.engine.close();
    expect(await (await query).json()).toMatchObject({ data: [{ slept: 0 }] });
  });
});

describe('a folder', () => {
  longTest('that can’t be opened is refused with the reason', async () => {
    await mkdir(join(dataDir, 'clickhouse'));
    await mkdir(join(dataDir, 'clickhouse', 'status'));
    const starting = startEmbeddedEngine({ dataDir, logger: silent });
    await expect(starting).rejects.toMatchObject({ code: 'failed', message: expect.stringContaining('status') });
  });

  longTest('is open to nobody else, even if it was', async () => {
    await mkdir(join(dataDir, 'clickhouse'), { mode: 0o755 });
    await start();
    expect((await stat(join(dataDir, 'clickhouse'))).mode & 0o777).toBe(0o700);
  });

  test('is held by one process alone, keeps its rows over a restart, and broken parts are reported', async () => {
    const first = await start();
    const starting = startEmbeddedEngine({ dataDir, logger: silent });
    await expect(starting).rejects.toThrow(EngineStartError);
    await expect(starting).rejects.toMatchObject({
      code: 'in_use',
      message: expect.stringMatching(/^The store at .* is already in use by another process$/),
    });
    await first.client.command({
      query: 'CREATE TABLE kept (id UInt64) ENGINE = MergeTree ORDER BY id PARTITION BY id',
    });
    for (const id of [1, 2]) await first.client.insert({ table: 'kept', values: [{ id }], format: 'JSONEachRow' });
    const [part] = await selectRows<{ path: string }>(
      first.client,
      "SELECT path FROM system.parts WHERE table = 'kept' AND active AND partition = '1'",
    );
    expect(first.engine.detachedParts()).toEqual([]);
    await first.engine.close();
    await truncate(join(part?.path ?? '', 'columns.txt'), 3);

    const second = await start();
    expect(await selectRows(second.client, 'SELECT id FROM kept')).toEqual([{ id: '2' }]);
    expect(second.engine.detachedParts()).toMatchObject([{ table: 'kept', name: expect.stringContaining('broken') }]);
    expect(second.logged).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('detached parts') }),
    );
  });
});
