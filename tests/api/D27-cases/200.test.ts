// Providers' answers of 2026 and cases after public bug reports, with the costs that were worked out apart from the product
// (tests/fixtures/cases/README.md).
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { invoiceSources, readInvoiceFiles } from '../../../src/billing/invoices/files/read-file.ts';
import { importExports } from '../../../src/cli/import-exports.ts';
import { importSources } from '../../../src/ingest/imports/sources.ts';
import { allCalls, type Call } from '../../support/calls.ts';
import { expectStatus, type Json, type Project, sharedFarthing, wholeRange } from '../../support/client.ts';

const farthing = sharedFarthing();
const folder = mkdtempSync(join(tmpdir(), 'farthing-cases-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cases = new URL('../../fixtures/cases/', import.meta.url);
const readCase = (name: string): unknown => JSON.parse(readFileSync(new URL(name, cases), 'utf8'));

const invoiceCase = z.object({
  id: z.string(),
  event: z.looseObject({ timestamp: z.string() }),
  /** Null where no source says the price: the call must be unpriced or partly priced. */
  expected_usd: z.number().nullable(),
  /** Whether naming the unpriced part of the cost is right too. */
  named_ok: z.boolean().optional(),
});

/** Whether a call says that its cost isn't known, or not all of it. */
const isTold = ({ cost_source: source, partly_priced: partly }: Call): boolean =>
  source === 'unpriced' || partly.length > 0;

const describeCall = ({ cost, cost_source, unpriced_reason, partly_priced }: Call) => ({
  cost,
  cost_source,
  unpriced_reason,
  partly_priced,
});

test("D27.5: a provider's answer costs what its price page says, or says what isn't known", async () => {
  const all = z.array(invoiceCase).parse(readCase('invoice-cases.json'));
  const project = await farthing.createProject();
  const events = all.map(({ id, event }, index) => ({
    event_id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    event_type: 'llm.after',
    tags: { customer: id },
    ...event,
  }));
  await project.post(...events);
  const calls = new Map((await allCalls(project, wholeRange)).map((call) => [call.customer, call]));
  const wrong = all.flatMap<Json>(({ id, expected_usd: expected, named_ok: isNamingRight = false }) => {
    const call = calls.get(id);
    if (call === undefined) return [{ id, is: 'no call' }];
    const isRight = expected === null ? isTold(call) : call.cost === expected && !isTold(call);
    return isRight || (isNamingRight && isTold(call)) ? [] : [{ id, expected, ...describeCall(call) }];
  });
  expect(wrong).toEqual([]);
});

const pageCases = z.strictObject({
  /** The pages that name the prices, and the day on which each was read. */
  pages: z.record(
    z.string(),
    z.strictObject({ title: z.string(), url: z.url(), read: z.iso.date(), quotedBy: z.array(z.string()).optional() }),
  ),
  cases: z.array(
    z.strictObject({
      id: z.string(),
      pages: z.array(z.string()).min(1),
      event: z.looseObject({ timestamp: z.string() }),
      /** How much was used, and the page's price: US dollars for so much of it. */
      charges: z.array(z.tuple([z.int().positive(), z.string(), z.int().positive()])),
      usd: z.string(),
      /** What the call must say is not priced. */
      told: z.array(z.string()).optional(),
    }),
  ),
});

/** The sum of the charges in picodollars, in whole numbers. */
const sumOf = (charges: z.infer<typeof pageCases>['cases'][number]['charges']): bigint =>
  charges.reduce((sum, [count, usd, per]) => sum + (BigInt(count) * picodollars(usd)) / BigInt(per), 0n);

function picodollars(usd: string): bigint {
  const [whole = '', part = ''] = usd.split('.');
  return BigInt(whole + part.padEnd(12, '0'));
}

test('D27.1: calls cost what the price pages of their providers say', async () => {
  const files = readdirSync(new URL('price-pages', cases)).map((name) =>
    pageCases.parse(readCase(`price-pages/${name}`)),
  );
  const all = files.flatMap((file) => file.cases);
  for (const { pages, cases: some } of files) {
    for (const { id, pages: named, charges, usd } of some) {
      expect(
        named.filter((page) => pages[page] === undefined),
        id,
      ).toEqual([]);
      expect(sumOf(charges), id).toBe(picodollars(usd));
    }
  }
  const project = await farthing.createProject();
  await project.post(
    ...all.map(({ id, event }, index) => ({
      event_id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      event_type: 'llm.after',
      tags: { customer: id },
      ...event,
    })),
  );
  const calls = new Map((await allCalls(project, wholeRange)).map((call) => [call.customer, call]));
  const found = all.flatMap<Json>(({ id, usd, told = [] }) => {
    const call = calls.get(id);
    if (call === undefined) return [{ id, is: 'no call' }];
    const isRight = call.cost === Number(usd) && call.partly_priced.join() === told.join();
    return isRight && call.cost_source !== 'unpriced' ? [] : [{ id, usd, ...describeCall(call) }];
  });
  expect(found).toEqual([]);
  expect(all.length).toBeGreaterThan(300);
});

const step = z.discriminatedUnion('route', [
  z.object({ route: z.enum(['events', 'traces', 'logs', 'litellm', 'openrouter']), body: z.unknown() }),
  z.object({
    route: z.literal('import'),
    from: z.enum(Object.keys(importSources) as (keyof typeof importSources)[]),
    file: z.string(),
  }),
  z.object({ route: z.literal('invoices'), from: z.enum(invoiceSources), file: z.string() }),
]);
const fieldCase = z.object({ steps: z.array(step) });

const expectations = z.record(
  z.string(),
  z.object({
    checks: z.array(
      z.object({
        customer: z.string(),
        cost: z.number(),
        why: z.string(),
        /** The cost isn't known, and the call must say so. */
        flagged: z.boolean().optional(),
        /** Saying that the cost isn't known is right too. */
        orFlagged: z.boolean().optional(),
      }),
    ),
    invoices: z.record(z.string(), z.number()).optional(),
  }),
);
const expected = expectations.parse(readCase('field/expected.json'));

const paths = { events: '', traces: 'v1/traces/', logs: 'v1/logs/', litellm: 'litellm/', openrouter: 'openrouter/' };

async function take(project: Project, sent: z.infer<typeof step>): Promise<void> {
  if (sent.route !== 'import' && sent.route !== 'invoices') {
    const { clientId, secret } = project;
    const path = `/intake/${clientId}/${paths[sent.route]}`;
    expectStatus(await farthing.send('POST', path, { body: sent.body, token: secret }), 200);
    return;
  }
  // A copy, since an import writes refused lines beside its file.
  const file = join(folder, sent.file);
  copyFileSync(fileURLToPath(new URL(`field/${sent.file}`, cases)), file);
  if (sent.route === 'import') {
    const access = { url: farthing.url, clientId: project.clientId, secret: project.secret, apiKey: project.apiKey };
    await importExports(importSources[sent.from], [file], { access: { ...access, token: undefined }, json: true });
    return;
  }
  const { entries, faults } = await readInvoiceFiles(sent.from, [file], { provider: undefined, decimal: undefined });
  expect(faults).toEqual([]);
  expectStatus(await project.api('POST', '/api/invoices/', { entries }), 201);
}

test.each(readdirSync(new URL('field/', cases)).filter((name) => /^\d\d-.*\.json$/.test(name) && isCase(name)))(
  'D27.4: %s costs what its provider charged',
  async (name) => {
    const { checks, invoices } = expected[name.replace('.json', '')] ?? { checks: [], invoices: {} };
    const project = await farthing.createProject();
    for (const sent of fieldCase.parse(readCase(`field/${name}`)).steps) await take(project, sent);
    const calls = await allCalls(project, wholeRange);
    const wrong = checks.flatMap<Json>(({ customer, cost, why, flagged = false, orFlagged = false }) => {
      const own = calls.filter((call) => call.customer === customer);
      const sum = own.reduce((total, call) => total + Math.round(call.cost * 1e12), 0) / 1e12;
      const isSaid = own.some(isTold);
      const isRight = own.length > 0 && (flagged ? isSaid : (sum === cost && !isSaid) || (orFlagged && isSaid));
      return isRight ? [] : [{ customer, cost, why, calls: own.map(describeCall) }];
    });
    expect(wrong).toEqual([]);
    if (invoices !== undefined) expect(await sumInvoices(project)).toEqual(invoices);
  },
);

function isCase(name: string): boolean {
  return fieldCase.safeParse(readCase(`field/${name}`)).success;
}

async function sumInvoices(project: Project): Promise<Record<string, number>> {
  const answer = expectStatus(await project.api('GET', '/api/invoices/?date_from=2026-01-01&date_to=2026-12-31'), 200);
  const { rows } = z.object({ rows: z.array(z.object({ provider: z.string(), amount: z.number() })) }).parse(answer);
  const sums: Record<string, number> = {};
  for (const { provider, amount } of rows) {
    sums[provider] = (Math.round((sums[provider] ?? 0) * 1e12) + Math.round(amount * 1e12)) / 1e12;
  }
  return sums;
}
