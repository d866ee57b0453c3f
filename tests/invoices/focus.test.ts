import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { query } from 'chdb';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { readInvoiceFiles } from '../../src/billing/invoices/files/read-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'farthing-focus-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Row = Readonly<Record<string, string>>;

const options = { provider: undefined, decimal: undefined };
const read = (...paths: string[]) => readInvoiceFiles('focus', paths, options);
let made = 0;
function write(rows: readonly Row[], { zip = false } = {}): string {
  const path = join(folder, `${made++}.csv`);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const text = stringify([columns, ...rows.map((row) => columns.map((name) => row[name] ?? ''))], { bom: true });
  writeFileSync(path, zip ? gzipSync(text) : text);
  return path;
}

const ofDay = (day: string, next: string): Row => ({
  ChargePeriodStart: `${day}T00:00:00Z`,
  ChargePeriodEnd: `${next}T00:00:00Z`,
  BillingCurrency: 'USD',
  ChargeCategory: 'Usage',
});

/** As AWS writes FOCUS 1.2, Azure 1.0 and Google Cloud 1.4. */
const bedrock: Row = {
  ...ofDay('2026-11-02', '2026-11-03'),
  BilledCost: '0.1234567890123',
  BillingAccountId: '111122223333',
  ProviderName: 'AWS',
  ServiceName: 'Amazon Bedrock',
  SkuId: 'QX2',
  SkuMeter: 'USE1-InputTokenCount',
  ResourceId: 'arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0',
};
const azure: Row = {
  ...ofDay('2026-11-02', '2026-11-03'),
  ChargePeriodStart: '2026-11-02 00:00:00',
  ChargePeriodEnd: '2026-11-03 00:00:00',
  BilledCost: '2',
  ProviderName: 'Microsoft',
  ServiceName: 'Azure OpenAI',
  ChargeDescription: 'gpt-4o-0806-Inp-glbl Tokens',
  ResourceId: 'NULL',
};
const vertex: Row = {
  ...ofDay('2026-11-01', '2026-12-01'),
  BilledCost: '-3.5',
  ChargeCategory: 'Credit',
  ServiceProviderName: 'Google Cloud',
  ServiceName: 'Vertex AI',
};

test('D30.3: rows of clouds become entries of the providers that calls name, others are left out', async () => {
  const machine = { ...azure, ServiceName: 'Azure Machine Learning' };
  const { entries, faults, notes } = await read(write([bedrock, machine]), write([azure, vertex], { zip: true }));
  expect(faults).toEqual([]);
  expect(notes).toEqual(['Rows of other services, left out: 1.']);
  expect(entries.map(({ external_id: _, ...entry }) => entry)).toEqual([
    {
      ...{ provider: 'aws', date_from: '2026-11-02', date_to: '2026-11-02', amount: '0.123456789012', kind: 'usage' },
      model: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
      description: 'Amazon Bedrock: USE1-InputTokenCount',
    },
    {
      ...{ provider: 'azure', date_from: '2026-11-02', date_to: '2026-11-02', amount: '2.000000000000', kind: 'usage' },
      description: 'Azure OpenAI: gpt-4o-0806-Inp-glbl Tokens',
    },
    {
      ...{
        provider: 'google',
        date_from: '2026-11-01',
        date_to: '2026-11-30',
        amount: '-3.500000000000',
        kind: 'credit',
      },
      description: 'Vertex AI',
    },
  ]);
});

test.each(['none', 'snappy', 'gzip', 'zstd'])(
  'D30.3: Parquet, compressed by %s, has the entries of the CSV',
  async (method) => {
    const rows = ['0.1234567890123', '123456789.000000000001', '-0.7'].map((BilledCost) => ({
      ...bedrock,
      BilledCost,
    }));
    const csv = write(rows);
    const path = join(folder, `${method}.parquet`);
    query(
      `SELECT * EXCEPT (BilledCost, ChargePeriodStart), toDecimal128(BilledCost, 16) AS billed_cost,
       parseDateTimeBestEffort(ChargePeriodStart, 'UTC') AS ChargePeriodStart
     FROM file('${csv}', CSVWithNames, '${Object.keys(rows[0] ?? {})
       .map((name) => `${name} String`)
       .join(', ')}')
     INTO OUTFILE '${path}' FORMAT Parquet SETTINGS output_format_parquet_compression_method = '${method}'`,
    );
    const { entries, faults } = await read(path);
    expect(faults).toEqual([]);
    expect(entries).toEqual((await read(csv)).entries);
    expect(entries.map(({ amount }) => amount)).toEqual(['123456788.423456789013']);
  },
);

test('D30.3: however the rows of a bill lie in files, the entries are the same and add up exactly', async () => {
  const row = fc.record({
    units: fc.bigInt(-(10n ** 15n), 10n ** 15n),
    of: fc.constantFrom<Row>(
      bedrock,
      azure,
      { ...azure, SubAccountId: 'b' },
      { ...bedrock, ...ofDay('2026-11-03', '2026-11-04') },
    ),
    file: fc.nat(2),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (past) => {
      const rowOf = ({ of, units }: (typeof past)[number]): Row => ({ ...of, BilledCost: `${units}e-12` });
      const whole = await read(write(past.map(rowOf)));
      const files = [0, 1, 2].map((at) => past.filter(({ file }) => file === at)).filter((rows) => rows.length > 0);
      const split = await read(...files.toReversed().map((rows) => write(rows.toReversed().map(rowOf))));
      const byId = ({ entries }: typeof whole) =>
        Object.fromEntries(entries.map((entry) => [entry.external_id, entry]));
      expect(byId(split)).toEqual(byId(whole));
      const inAll = (provider: string) =>
        past
          .filter(({ of }) => (of.ProviderName === 'AWS') === (provider === 'aws'))
          .reduce((sum, { units }) => sum + units, 0n);
      for (const provider of ['aws', 'azure']) {
        const stored = whole.entries.filter((entry) => entry.provider === provider);
        expect(stored.reduce((sum, { amount }) => sum + toUnits(String(amount)), 0n)).toBe(inAll(provider));
      }
    }),
    { numRuns: 50 },
  );
});

/** Picodollars of decimal text. */
function toUnits(amount: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  return BigInt(`${sign}${whole}${fraction.padEnd(12, '0')}`);
}

test.each<[Row, RegExp]>([
  [{ ...bedrock, BilledCost: '' }, /line 2: has no BilledCost/],
  [{ ...bedrock, BillingCurrency: 'EUR' }, /line 2: is in EUR: amounts must be in USD/],
  [{ ...bedrock, ChargePeriodEnd: 'tomorrow' }, /line 2: has no ChargePeriodStart or ChargePeriodEnd/],
  [{ ...bedrock, ChargeCategory: 'Gift' }, /line 2: has the ChargeCategory Gift/],
])('D30.3: a bad row is told with its place: %j', async (row, message) => {
  const { faults } = await read(write([row]));
  expect(faults).toEqual([expect.stringMatching(message)]);
});
