import { TupleParam } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usualOrLong } from '../support/effort.ts';
import { type EngineFixture, selectRows, shareFixture } from './engine-fixture.ts';

const AWKWARD_TEXT = `it's "quoted" \\ back\\\\slash \\n \\' \\0 \t tab \n line \r return \0 NUL \u{1F600} {x:String} $1 -- /* \\N ')`;

let fixture: EngineFixture;
beforeAll(async () => {
  fixture = await shareFixture();
});
afterAll(() => fixture.closeUnharmed());

async function roundTrip(type: string, value: unknown): Promise<unknown> {
  const rows = await selectRows<{ value: unknown }>(fixture.client, `SELECT {value:${type}} AS value`, { value });
  return rows[0]?.value;
}

describe('a parameter arrives as it was sent', () => {
  const moment = new Date('2026-02-03T04:05:06.789Z');
  test.each<[type: string, sent: unknown, received: unknown]>([
    ['String', AWKWARD_TEXT, AWKWARD_TEXT],
    ['String', '', ''],
    ['String', 'NULL', 'NULL'],
    ['String', '[1, 2]', '[1, 2]'],
    ['String', "'; DROP TABLE t; --", "'; DROP TABLE t; --"],
    ['LowCardinality(String)', AWKWARD_TEXT, AWKWARD_TEXT],
    ['Nullable(String)', null, null],
    ['Nullable(String)', AWKWARD_TEXT, AWKWARD_TEXT],
    ['Nullable(UInt64)', null, null],
    ['Array(String)', [AWKWARD_TEXT, '', "'", '\\', '],['], [AWKWARD_TEXT, '', "'", '\\', '],[']],
    ['Array(String)', [], []],
    ['Array(Nullable(String))', ['a', null], ['a', null]],
    ['Array(UInt32)', [0, 1, 4_294_967_295], [0, 1, 4_294_967_295]],
    ['Array(Array(String))', [['a'], [AWKWARD_TEXT]], [['a'], [AWKWARD_TEXT]]],
    ['Map(String, String)', { [AWKWARD_TEXT]: AWKWARD_TEXT, b: '' }, { [AWKWARD_TEXT]: AWKWARD_TEXT, b: '' }],
    ['Map(String, UInt64)', new Map([['a', 1n]]), { a: '1' }],
    ['UInt8', 255, 255],
    ['UInt64', 18_446_744_073_709_551_615n, '18446744073709551615'],
    ['Int64', -9_223_372_036_854_775_808n, '-9223372036854775808'],
    ['Float64', 0.1, 0.1],
    ['Decimal(38, 12)', '12345678901234567890.123456789012', '12345678901234567890.123456789012'],
    ['Decimal(38, 12)', '-0.000000000001', '-0.000000000001'],
    ['Date', '2026-02-03', '2026-02-03'],
    ["DateTime64(3, 'UTC')", moment, '2026-02-03 04:05:06.789'],
    ["DateTime64(3, 'UTC')", '2026-02-03 04:05:06.789', '2026-02-03 04:05:06.789'],
    ['UUID', '61f0c404-5cb3-11e7-907b-a6006ad3dba0', '61f0c404-5cb3-11e7-907b-a6006ad3dba0'],
    ['Bool', true, true],
    ['Bool', false, false],
    ['Tuple(String, UInt32)', new TupleParam([AWKWARD_TEXT, 7]), [AWKWARD_TEXT, 7]],
    ['Array(Tuple(String, Int64))', [new TupleParam(["a'b", -1n])], [["a'b", '-1']]],
  ])('%s (case %#)', async (type, sent, received) => {
    expect(await roundTrip(type, sent)).toEqual(received);
  });

  test('in the body of a request too, where long ones go', async () => {
    const long = AWKWARD_TEXT.repeat(200);
    expect(await roundTrip('String', long)).toBe(long);
    expect(await roundTrip('Array(String)', [long, AWKWARD_TEXT])).toEqual([long, AWKWARD_TEXT]);
  });
});

test('a value that is not of its type is refused, and never read as SQL', async () => {
  await expect(roundTrip('UInt8', '1 OR 1')).rejects.toMatchObject({ code: '457' });
  await expect(roundTrip('Array(UInt32)', '[1, sleep(1)]')).rejects.toMatchObject({ name: 'Error', code: /\d+/ });
});

test('a parameter is not seen by the next query', async () => {
  await roundTrip('String', 'left behind');
  await expect(selectRows(fixture.client, 'SELECT {value:String}')).rejects.toMatchObject({ code: '456' });
});

test('a filter of many texts selects exactly their rows', async () => {
  const count = usualOrLong(20_000, 100_000);
  const wanted = Array.from({ length: count }, (_, index) => `customer-${index * 2}-'"\\`);
  const rows = await selectRows(
    fixture.client,
    `SELECT count() AS found, min(number) AS least, max(number) AS most FROM numbers({rows:UInt64})
     WHERE concat('customer-', toString(number), '-\\'"\\\\') IN (SELECT arrayJoin({wanted:Array(String)}))`,
    { wanted, rows: 3 * count },
  );
  expect(rows).toEqual([{ found: String(count), least: '0', most: String(2 * count - 2) }]);
});
