import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usualOrLong } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { type EngineFixture, selectRows, shareFixture } from './engine-fixture.ts';

let fixture: EngineFixture;
beforeAll(async () => {
  fixture = await shareFixture();
});
afterAll(() => fixture.closeUnharmed());

interface Answer {
  readonly status: number | undefined;
  readonly code: string | string[] | undefined;
  readonly body: string;
}

/** A request without the client in between. */
function send(path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> {
  const { engine } = fixture;
  const authorization = `Basic ${Buffer.from(`${engine.username}:${engine.password}`).toString('base64')}`;
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, engine.url), { method: 'POST', headers: { authorization, ...headers } });
    outgoing.once('error', reject).once('response', async (response) => {
      const chunks = await response.toArray();
      const code = response.headers['x-clickhouse-exception-code'];
      resolve({ status: response.statusCode, code, body: Buffer.concat(chunks).toString() });
    });
    outgoing.end(body);
  });
}

describe('a refused query has the code and the status of a server', () => {
  test.each([
    ['SELEC 1', 400, '62', 'SYNTAX_ERROR'],
    ['SELECT * FROM nowhere', 404, '60', 'UNKNOWN_TABLE'],
    ['SELECT nothing FROM system.one', 404, '47', 'UNKNOWN_IDENTIFIER'],
    ['SELECT throwIf(1)', 500, '395', 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'],
    ['DROP TABLE nowhere', 404, '60', 'UNKNOWN_TABLE'],
    ['', 400, '36', 'BAD_ARGUMENTS'],
    ['SELECT 1 \0; DROP TABLE t', 400, '36', 'BAD_ARGUMENTS'],
  ])('%j', async (sql, status, code, name) => {
    const answer = await send('/', sql);
    expect(answer).toMatchObject({ status, code });
    expect(answer.body).toMatch(new RegExp(`^Code: ${code}\\. DB::Exception: .*\\(${name}\\)\n$`, 's'));
  });

  test('an unknown setting', async () => {
    expect(await send('/?no_such_setting=1', 'SELECT 1')).toMatchObject({ status: 404, code: '115' });
    expect(await send('/?max_threads=many', 'SELECT 1')).toMatchObject({ status: 400, code: '27' });
  });

  test('a name that would be SQL', async () => {
    const path = `/?${new URLSearchParams({ "max_threads = 1, param_x = 'y', z": '1' })}`;
    expect(await send(path, 'SELECT 1')).toMatchObject({ status: 400, code: '36' });
    expect(await send(`/?${new URLSearchParams({ "param_x = 'y', z": '1' })}`, 'SELECT 1')).toMatchObject({
      code: '36',
    });
    expect(await send(`/?${new URLSearchParams({ database: '`; DROP' })}`, 'SELECT 1')).toMatchObject({ code: '81' });
  });

  test('what the embedded engine does not have', async () => {
    expect(await send('/?session_id=a', 'SELECT 1')).toMatchObject({ status: 501, code: '48' });
    expect(await send('/', 'SELECT 1', { 'content-encoding': 'lz4' })).toMatchObject({ status: 501, code: '48' });
  });

  test('a broken body', async () => {
    const multipart = { 'content-type': 'multipart/form-data; boundary=b' };
    expect(await send('/', 'nonsense', multipart)).toMatchObject({ status: 400, code: '36' });
    expect(await send('/', '--b\r\nno end', multipart)).toMatchObject({ status: 400, code: '36' });
    expect(await send('/', 'not gzip', { 'content-encoding': 'gzip' })).toMatchObject({ status: 400, code: '6' });
  });
});

test('the client makes its typed error of it', async () => {
  await expect(selectRows(fixture.client, 'SELECT * FROM nowhere')).rejects.toMatchObject({
    code: '60',
    type: 'UNKNOWN_TABLE',
    message: expect.stringContaining('nowhere'),
  });
});

describe('a request without the right password is refused', () => {
  test.each([
    [{ authorization: '' }, 401, '194'],
    [{ authorization: `Basic ${Buffer.from('farthing:wrong').toString('base64')}` }, 403, '516'],
    [{ authorization: '', 'x-clickhouse-user': 'farthing', 'x-clickhouse-key': '' }, 403, '516'],
  ])('%j', async (headers, status, code) => {
    const answer = await send('/', 'SELECT 42', headers);
    expect(answer).toMatchObject({ status, code });
    expect(answer.body).not.toContain('42');
  });

  test('and the right one is taken from ClickHouse’s own headers too', async () => {
    const { username, password } = fixture.engine;
    const headers = { authorization: '', 'x-clickhouse-user': username, 'x-clickhouse-key': password };
    expect(await send('/', 'SELECT 42', headers)).toMatchObject({ status: 200, body: '42\n' });
  });
});

describe('a query that fails in the middle of its output', () => {
  const failing = 'SELECT number, throwIf(number = 300000) FROM numbers(1000000)';

  test('is an error to a reader of rows, and the next query gets only its own rows', async () => {
    const errors: unknown[] = [];
    for (let round = 0; round < usualOrLong(2, 5); round += 1) {
      const outcome = await selectRows(fixture.client, failing).catch((error: Error) => error);
      expect(outcome).toBeInstanceOf(Error);
      errors.push(outcome);
      expect(await selectRows(fixture.client, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    }
    // The client can name it only if the end of the answer came to it in one piece, as it nearly always does.
    expect(errors).toContainEqual(expect.objectContaining({ code: '395' }));
  });

  test.each(['JSON', 'CSV', 'TabSeparated'] as const)('is never taken for a whole answer: %s', async (format) => {
    const result = await fixture.client.query({ query: failing, format });
    await expect(result.text()).rejects.toThrow();
    expect(await selectRows(fixture.client, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('is seen through compression', async () => {
    const client = fixture.connect({ compression: { response: true } });
    await expect(selectRows(client, failing)).rejects.toThrow();
    expect(await selectRows(client, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('has a clean status while the output is short', async () => {
    const answer = await send('/', 'SELECT throwIf(number = 3000) FROM numbers(10000) SETTINGS max_block_size = 100');
    expect(answer).toMatchObject({ status: 500, code: '395' });
  });
});

describe('a limit', () => {
  longTest('of memory ends a query with code 241', async () => {
    const greedy = 'SELECT groupArray(number) AS all FROM numbers(1000000000) FORMAT Null';
    await expect(fixture.client.command({ query: greedy })).rejects.toMatchObject({ code: '241' });
    expect(await selectRows(fixture.client, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('of time ends a query with code 159', async () => {
    const endless = fixture.client.query({
      query: 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000)',
      clickhouse_settings: { max_execution_time: 1 },
    });
    await expect(endless).rejects.toMatchObject({ code: '159' });
    expect(await selectRows(fixture.client, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
