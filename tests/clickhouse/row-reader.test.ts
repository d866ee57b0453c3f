// Rows read from ClickHouse: from the real engine, and from servers that fail as the engine seldom does.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AnalyticStore } from '../../src/storage/analytic/analytic-store.ts';
import type { Parameter } from '../../src/storage/analytic/row-reader.ts';
import { usualOrLong } from '../support/effort.ts';
import { type EngineFixture, shareFixture } from './engine-fixture.ts';

let fixture: EngineFixture;
let store: AnalyticStore;
beforeAll(async () => {
  fixture = await shareFixture();
  const { url, username, password } = fixture.engine;
  store = new AnalyticStore({ url, credentials: { username, password } });
});
afterAll(async () => {
  await store.close();
  await fixture.closeUnharmed();
});

async function roundTrip(type: string, value: Parameter): Promise<unknown> {
  const [row] = await store.select<{ value: unknown }>(`SELECT {value:${type}} AS value`, { value });
  return row?.value;
}

describe('a value arrives as it was bound', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.stringMatching(/^[\\'"\t\n\rtnrN0,[\]{}:-]{0,12}$/),
    // Long ones go in the body.
    fc.nat({ max: 40 }).map((times) => `it's \\n "quoted" -- \r\n`.repeat(times * 10)),
  );

  test('any text', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        expect(await roundTrip('String', text)).toBe(text);
      }),
      { numRuns: usualOrLong(12, 500) },
    );
  });

  test('any texts of an array', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { maxLength: 6 }), async (texts) => {
        expect(await roundTrip('Array(String)', texts)).toEqual(texts);
      }),
      { numRuns: usualOrLong(12, 500) },
    );
  });

  test.each<[type: string, bound: Parameter, received: unknown]>([
    ['Nullable(String)', null, null],
    ['Nullable(String)', undefined, null],
    ['Nullable(String)', 'NULL', 'NULL'],
    ['Array(Nullable(String))', ['a', null, undefined], ['a', null, null]],
    ['Array(UInt32)', [0, 4_294_967_295], [0, 4_294_967_295]],
    ['Array(Array(String))', [['a'], ["'], ['"]], [['a'], ["'], ['"]]],
    ['Array(Bool)', [true, false], [true, false]],
    ['UInt64', 18_446_744_073_709_551_615n, '18446744073709551615'],
    ['Int64', -1, '-1'],
    ['Decimal(38, 12)', '12345678901234567890.123456789012', '12345678901234567890.123456789012'],
    ['Bool', true, true],
    ['Bool', false, false],
  ])('%s (case %#)', async (type, bound, received) => {
    expect(await roundTrip(type, bound)).toEqual(received);
  });
});

test('rows are whole and in order, also when there are none or many', async () => {
  const rows = await store.select(
    "SELECT number AS n, toString(number) AS text, map('\"', text) AS tags FROM numbers(70000)",
  );
  expect(rows).toEqual(
    Array.from({ length: 70_000 }, (_, n) => ({ n: String(n), text: String(n), tags: { '"': String(n) } })),
  );
  expect(await store.select('SELECT 1 AS one WHERE 0')).toEqual([]);
});

test('an error of the engine has its code, also when it comes late', async () => {
  await expect(store.select('SELECT nothing')).rejects.toMatchObject({ code: '47' });
  await expect(
    store.select('SELECT throwIf(number = 900000) FROM numbers(1000000) SETTINGS max_block_size = 1000'),
  ).rejects.toMatchObject({ code: '395' });
});

test('a query that takes too long is cancelled, and the engine stops', async () => {
  const started = performance.now();
  await expect(
    store.select('SELECT sleepEachRow(1) FROM numbers(30) SETTINGS max_block_size = 1', {}, 500),
  ).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(performance.now() - started).toBeLessThan(10_000);
  const running = "SELECT 1 AS running FROM system.processes WHERE query LIKE '%sleepEach' || 'Row%'";
  for (let left = 100; (await store.select(running)).length > 0; left -= 1) {
    expect(left).toBeGreaterThan(0);
    await sleep(100);
  }
});

test('a connection that is lent again holds nothing back: a table that was read can be dropped at once', async () => {
  await store.command('CREATE TABLE read_before (n UInt8) ENGINE = MergeTree ORDER BY n');
  await store.command('INSERT INTO read_before SELECT number FROM numbers(3)');
  expect(await store.select('SELECT n FROM read_before ORDER BY n')).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
  const started = performance.now();
  await store.command('DROP TABLE read_before SYNC');
  expect(performance.now() - started).toBeLessThan(5_000);
  await expect(store.select('SELECT n FROM read_before')).rejects.toMatchObject({ code: '60' });
});

describe('of a server', () => {
  /** A store on a server that gives the test's answers. */
  async function storeOn(
    answer: (request: IncomingMessage, response: ServerResponse, time: number) => void,
    urlOf: (host: string) => string = (host) => `http://${host}`,
  ) {
    let times = 0;
    const server = createServer((request, response) => {
      times += 1;
      const time = times;
      request.resume().on('end', () => answer(request, response, time));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const asked = new AnalyticStore({ url: urlOf(`127.0.0.1:${port}`), credentials: undefined });
    return {
      store: asked,
      times: () => times,
      [Symbol.asyncDispose]: async () => {
        await asked.close();
        server.close();
      },
    };
  }

  test('its name, password and database are those of the URL', async () => {
    const seen: unknown[] = [];
    await using server = await storeOn(
      ({ url = '', headers }, response) => {
        const fields = new URL(url, 'http://localhost').searchParams;
        seen.push([fields.get('database'), fields.get('max_execution_time'), headers.authorization]);
        response.end('{"a":[1]}');
      },
      (host) => `http://us%40er:p%3Ass@${host}/its%20own`,
    );
    expect(await server.store.select('SELECT 1 AS a', {}, 2_500)).toEqual([{ a: 1 }]);
    expect(seen).toEqual([['its own', '3', `Basic ${Buffer.from('us@er:p:ss').toString('base64')}`]]);
  });

  test('an answer that it breaks off with a fault is never taken for rows', async () => {
    await using server = await storeOn((_request, response) => {
      response.end('{"a":[1,2,Code: 60. DB::Exception: No such table. (UNKNOWN_TABLE)\n');
    });
    await expect(server.store.select('SELECT a FROM t')).rejects.toMatchObject({ code: '60' });
    await using marking = await storeOn((_request, response) => {
      response.writeHead(200, { 'content-length': '10000' });
      const fault = 'Code: 60. DB::Exception: No such table. (UNKNOWN_TABLE)\n';
      response.write(`{"a":[1,2\r\n__exception__\r\nx\r\n${fault}${fault.length} x\r\n__exception__\r\n`, () =>
        response.destroy(),
      );
    });
    await expect(marking.store.select('SELECT a FROM t')).rejects.toMatchObject({ code: '60' });
    await using silent = await storeOn((_request, response) => {
      response.end('{"a":[1,2');
    });
    await expect(silent.store.select('SELECT a FROM t')).rejects.toThrow();
  });

  test('an error message inside rows is not an error of the server: the query is repeated', async () => {
    await using server = await storeOn((_request, response, time) => {
      const said = 'Code: 60. DB::Exception: No such table. (UNKNOWN_TABLE)';
      if (time === 2) response.end(JSON.stringify({ said: [said] }));
      else response.writeHead(200, { 'content-length': '1000' }).write(`{"said":["${said}`, () => response.destroy());
    });
    expect(await server.store.select('SELECT said FROM t')).toHaveLength(1);
    expect(server.times()).toBe(2);
  });

  test('a query whose answer is lost is repeated', async () => {
    await using server = await storeOn((_request, response, time) => {
      if (time === 3) response.end('{"a":[7]}');
      else if (time === 2) response.destroy();
      else response.writeHead(200, { 'content-length': '100' }).write('{"a":[', () => response.destroy());
    });
    expect(await server.store.select('SELECT a FROM t')).toEqual([{ a: 7 }]);
    expect(server.times()).toBe(3);
  });
});
