import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { usualOrLong } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { type EngineFixture, eventually, selectRows, shareFixture, startFixture } from './engine-fixture.ts';

let fixture: EngineFixture;
beforeAll(async () => {
  fixture = await shareFixture();
});
afterAll(() => fixture.closeUnharmed());

interface Progress {
  readonly read: string;
}

/** What the engine is doing for a query, by its id. */
function progressOf(queryId: string): Promise<Progress[]> {
  const sql = "SELECT read_rows AS read FROM system.processes WHERE Settings['log_comment'] = {queryId:String}";
  return selectRows<Progress>(fixture.client, sql, { queryId });
}

/** Resolves once the engine runs the query. */
const started = (queryId: string) => eventually(async () => expect(await progressOf(queryId)).toHaveLength(1));

const ended = (queryId: string) => eventually(async () => expect(await progressOf(queryId)).toHaveLength(0));

test('a large answer arrives whole, and waits for a reader that is slow', async () => {
  const rows = usualOrLong(6_000_000, 20_000_000);
  const query = `SELECT number FROM numbers(${rows}) FORMAT TabSeparated`;
  // On a busy machine the whole answer may take longer than the client usually waits.
  const client = fixture.connect({ request_timeout: 170_000 });
  const { stream } = await client.exec({ query, query_id: 'large' });
  let newlines = 0;
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) newlines += 1;
  };
  const chunks = stream[Symbol.asyncIterator]();
  count((await chunks.next()).value);

  // Nobody reads: the engine stops soon, with most of the rows still to come, and holds them back.
  let read = Number.NaN;
  await eventually(async () => {
    const before = read;
    await sleep(500);
    const [progress] = await progressOf('large');
    read = Number(progress?.read);
    expect(read).toBe(before);
  });
  expect(read).toBeLessThan(rows / 2);

  for await (const chunk of { [Symbol.asyncIterator]: () => chunks }) count(chunk);
  expect(newlines).toBe(rows);
  // Each number has as many digits as it has, and a line break.
  const digits = [1, 2, 3, 4, 5, 6, 7, 8].reduce((sum, length) => sum + length * numbersWithDigits(length, rows), 0);
  expect(bytes).toBe(digits + rows);
});

function numbersWithDigits(length: number, end: number): number {
  const least = length === 1 ? 0 : 10 ** (length - 1);
  return Math.max(0, Math.min(10 ** length, end) - least);
}

test('a large answer arrives whole through compression', async () => {
  const client = fixture.connect({ compression: { response: true } });
  const rows = await selectRows<{ number: string }>(client, 'SELECT number FROM numbers(50000)');
  expect(rows).toHaveLength(50_000);
  expect(rows.every((row, index) => row.number === String(index))).toBe(true);
});

test('answers are compressed only if that is asked for', async () => {
  const query = "SELECT repeat('x', 100) FROM numbers(100)";
  const plain = await fixture.client.query({ query, format: 'CSV' });
  expect(plain.response_headers['content-encoding']).toBeUndefined();
  const compressed = await fixture.connect({ compression: { response: true } }).query({ query, format: 'CSV' });
  expect(compressed.response_headers['content-encoding']).toBe('gzip');
  expect(await compressed.text()).toBe(await plain.text());
});

test('a query ends when its client goes away while it computes', async () => {
  const controller = new AbortController();
  const query = fixture.client.query({
    query: 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000)',
    query_id: 'computing',
    abort_signal: controller.signal,
  });
  await started('computing');
  controller.abort();
  await expect(query).rejects.toThrow('aborted');
  await ended('computing');
});

test('a query ends when its client goes away in the middle of the answer, and the next one gets only its own rows', async () => {
  for (const round of Array(3).keys()) {
    const queryId = `half read ${round}`;
    const query = 'SELECT number FROM numbers(10000000000) FORMAT TabSeparated';
    const { stream } = await fixture.client.exec({ query, query_id: queryId });
    await stream[Symbol.asyncIterator]().next();
    stream.destroy();
    await ended(queryId);
  }
  const answers = await Promise.all(Array.from({ length: 24 }, () => selectRows(fixture.client, 'SELECT 1 AS one')));
  expect(answers).toEqual(Array.from({ length: 24 }, () => [{ one: 1 }]));
});

test('a query that waits for its turn is dropped when its client goes away', async () => {
  const small = await startFixture({ limits: { runningQueries: 1 } });
  try {
    await small.client.command({ query: 'CREATE TABLE marks (id UInt8) ENGINE = MergeTree ORDER BY id' });
    // It runs until its answer is left: nobody reads on.
    const { stream } = await small.client.exec({
      query: 'SELECT number FROM numbers(10000000000) FORMAT TabSeparated',
    });
    await stream[Symbol.asyncIterator]().next();
    const controller = new AbortController();
    const waiting = small.client.command({ query: 'INSERT INTO marks VALUES (1)', abort_signal: controller.signal });
    setTimeout(() => controller.abort(), 200);
    await expect(waiting).rejects.toThrow('aborted');
    stream.destroy();
    expect(await selectRows(small.client, 'SELECT * FROM marks')).toEqual([]);
  } finally {
    await small.close();
  }
});

longTest('a client that goes away before its query begins affects no other query', async () => {
  const own = await startFixture();
  const { url, username, password } = own.engine;
  const headers = {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    'content-type': 'multipart/form-data; boundary=b',
  };
  const field = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  // Binding it takes a while.
  const text = field('param_text', 'x'.repeat(4_000_000));
  const body = `${field('query', 'SELECT length({text:String})')}${text}--b--\r\n`;
  const ask = (signal?: AbortSignal) =>
    fetch(url, { method: 'POST', headers, body, ...(signal && { signal }) }).then((answer) => answer.text());
  expect(await ask()).toBe('4000000\n');
  for (let delayMs = 0; delayMs < 120; delayMs += usualOrLong(12, 3)) {
    await ask(AbortSignal.timeout(delayMs)).catch(() => undefined);
  }
  expect(await selectRows(own.client, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await own.closeUnharmed();
});
