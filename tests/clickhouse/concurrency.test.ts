import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EngineFixture, eventually, selectRows, startFixture } from './engine-fixture.ts';

let fixture: EngineFixture;
beforeAll(async () => {
  fixture = await startFixture({ limits: { runningQueries: 4, waitingQueries: 60 } });
});
afterAll(() => fixture.closeUnharmed());

test('60 queries at once get their own rows, with failing ones in between', async () => {
  const client = fixture.connect({ max_open_connections: 60 });
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      if (index % 10 === 9) {
        const failing = 'SELECT throwIf(number = 20000), {index:UInt32} FROM numbers(30000)';
        return selectRows(client, failing, { index }).catch((error: { code: string }) => error.code);
      }
      const rows = await selectRows<{ number: string; index: number }>(
        client,
        'SELECT number, {index:UInt32} AS index FROM numbers({count:UInt64})',
        { index, count: index * 15 },
      );
      return rows.length === index * 15 && rows.every((row, at) => row.index === index && row.number === String(at));
    }),
  );
  expect(answers).toEqual(Array.from({ length: 60 }, (_, index) => (index % 10 === 9 ? '395' : true)));
});

test('settings of one query do not reach another', async () => {
  const client = fixture.connect({ max_open_connections: 50 });
  const values = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const result = await client.query({
        query: "SELECT toString(getSetting('max_block_size')) AS value",
        clickhouse_settings: index % 2 === 0 ? { max_block_size: String(1000 + index) } : {},
        format: 'JSONEachRow',
      });
      return (await result.json<{ value: string }>())[0]?.value;
    }),
  );
  const [, byDefault] = values;
  expect(values).toEqual(values.map((_, index) => (index % 2 === 0 ? String(1000 + index) : byDefault)));
  expect(Number(byDefault)).toBeGreaterThan(2000);
});

test('a long query has both threads, though less than a gibibyte is free for each', async () => {
  const plan = await selectRows<{ explain: string }>(
    fixture.client,
    'EXPLAIN PIPELINE SELECT sum(number) FROM numbers_mt(100000000)',
  );
  expect(plan.map(({ explain }) => explain).join('\n')).toContain('AggregatingTransform × 2');
});

test('more queries than may run or wait are refused as a server does', async () => {
  const client = fixture.connect({ max_open_connections: 90 });
  // Four run until their answers are left: nobody reads on.
  const endless = 'SELECT number FROM numbers(10000000000) FORMAT TabSeparated';
  const running = await Promise.all(Array.from({ length: 4 }, () => fixture.client.exec({ query: endless })));
  await Promise.all(running.map(({ stream }) => stream[Symbol.asyncIterator]().next()));
  const refused: unknown[] = [];
  const asked = Array.from({ length: 90 }, () =>
    selectRows(client, 'SELECT 1 AS one').catch((error: { code: string }) => void refused.push(error.code)),
  );
  await eventually(async () => expect(refused).toHaveLength(30));
  for (const { stream } of running) stream.destroy();
  const answers = (await Promise.all(asked)).filter((rows) => rows !== undefined);
  expect(answers).toEqual(Array.from({ length: 60 }, () => [{ one: 1 }]));
  expect(new Set(refused)).toEqual(new Set(['202']));
  expect(await selectRows(client, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('an id of a running query is refused to another', async () => {
  const stop = new AbortController();
  const endless = 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000)';
  const slow = fixture.client.query({ query: endless, query_id: 'the-same', abort_signal: stop.signal });
  const running = "SELECT 1 FROM system.processes WHERE Settings['log_comment'] = 'the-same'";
  await eventually(async () => expect(await selectRows(fixture.client, running)).toHaveLength(1));
  const second = fixture.client.query({ query: 'SELECT 1', query_id: 'the-same' });
  await expect(second).rejects.toMatchObject({ code: '216' });
  stop.abort();
  await expect(slow).rejects.toThrow();
});

test('merges give way to statements', async () => {
  await fixture.client.command({ query: 'CREATE TABLE merged (a UInt8) ENGINE = MergeTree ORDER BY a' });
  const threads = `/proc/${fixture.engine.pid()}/task`;
  const read = (id: string, file: string) => readFileSync(`${threads}/${id}/${file}`, 'utf8');
  const nicenessOf = (id: string) => Number(read(id, 'stat').split(') ').at(-1)?.split(' ')[16]);
  await eventually(async () => {
    const ofMerges = readdirSync(threads).filter((id) => read(id, 'comm').startsWith('MergeMutate'));
    expect(ofMerges.map(nicenessOf)).toEqual([10, 10]);
  });
});
