// Every route with pages, in every format. A new route needs a question here.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { creditableEvent, type History, historyOf } from '../support/arbitraries/history.ts';
import { customEvent, keyMetrics } from '../support/arbitraries/key-metrics.ts';
import { grantsWithin, type NewGrant, revenueWithin, smallAmount } from '../support/arbitraries/money.ts';
import { denseDays, firstDay } from '../support/arbitraries/names.ts';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing } from '../support/client.ts';
import { closeDays } from '../support/closes.ts';
import { someOf, usualOrLong } from '../support/effort.ts';
import { answerIn, expectCsv, expectParquet, type Question, readCsv, readParquet, rowsOf } from '../support/formats.ts';
import { addRevenue } from '../support/margin.ts';
import { addDays, type KeyMetric, type RevenueEntry } from '../support/model.ts';
import { readOperations } from '../support/openapi.ts';
import { checkCases } from '../support/random-cases.ts';
import { repriceDays } from '../support/reprice.ts';
import { grantCredits, storeHistory } from '../support/stored-history.ts';

const farthing = sharedFarthing();

/** What questions are about: two projects, and the ids of their things. */
interface World {
  readonly revenue: Project;
  readonly internal: Project;
  readonly close: string;
  readonly endpoint: string;
}

type Asked = readonly [project: Project, fields: Json, steps?: Readonly<Record<string, string>>];

const range = { date_from: firstDay, date_to: addDays(firstDay, denseDays + 1) };
const grouped = (...dimensions: string[]): Json[] => [
  { ...range },
  ...dimensions.map((group_by) => ({ ...range, group_by, apply_credits: true })),
];
/** Each question to both projects; in the usual form to one of them in turn. */
const ofBoth =
  (...fields: Json[]) =>
  ({ revenue, internal }: World): Asked[] =>
    fields.flatMap((one, at): Asked[] =>
      usualOrLong([revenue, internal].slice(at % 2, 1 + (at % 2)), [revenue, internal]).map((project) => [
        project,
        one,
      ]),
    );

/** The questions to each route with pages. */
const questions: Readonly<Record<string, (world: World) => Asked[]>> = {
  'POST /api/costs/': ofBoth(...grouped('customer', 'model'), { ...range, aggregate: 'month', group_by: 'feature' }),
  'POST /api/usage/': ofBoth(...grouped('provider', 'customer')),
  'POST /api/margin/': ({ revenue }) => grouped('customer').map((fields) => [revenue, fields]),
  'POST /api/plans/': ({ revenue }) => [[revenue, { ...range, aggregate: 'week', target_margin_pct: 50 }]],
  'POST /api/performance/': ({ internal }) => someOf(grouped('user'), 1).map((fields) => [internal, fields]),
  'POST /api/calls/': ofBoth({ ...range }, { ...range, apply_credits: true, order: 'newest' }),
  'GET /api/runs/{run}/': ({ revenue }) => [[revenue, {}, { run: 'r1' }]],
  'GET /api/events/': ofBoth({ order: 'oldest' }),
  'GET /api/customers/': ofBoth({}),
  'GET /api/users/': ofBoth({}),
  'GET /api/features/': ofBoth({}),
  'GET /api/models/': ofBoth({}),
  'GET /api/providers/': ofBoth({}),
  'GET /api/revenue/': ({ revenue }) => [[revenue, {}]],
  'GET /api/invoices/': ({ revenue }) => [[revenue, {}]],
  'GET /api/shared-costs/': ({ revenue }) => [[revenue, {}]],
  'POST /api/reconciliation/': ({ revenue }) => [
    [revenue, { ...range, aggregate: 'all' }],
    [revenue, { ...range, group_by: 'model' }],
    [revenue, { ...range, group_by: 'provider' }],
  ],
  'POST /api/closes/{id}/drift/': ({ revenue, close }) => [
    [revenue, {}, { id: close }],
    [revenue, { group_by: 'cause' }, { id: close }],
    [revenue, { group_by: 'customer' }, { id: close }],
  ],
  'GET /api/closes/': ofBoth({}),
  'GET /api/exports/focus/': ofBoth({ ...range }),
  'GET /api/alerts/firings/': ofBoth({}),
  'GET /api/audit/': ofBoth({}),
  'GET /admin/audit/': ({ revenue }) => [[revenue, { project_id: revenue.id }]],
  'GET /api/exchange-rates/': ({ revenue }) => [[revenue, {}]],
  'GET /api/stripe/customers/': ({ revenue }) => [[revenue, {}]],
  'GET /api/erasures/': ({ revenue }) => [[revenue, {}]],
  'GET /api/prices/reprices/': ofBoth({}),
  'GET /admin/projects/{id}/rebuilds/': ({ revenue }) => [[revenue, {}, { id: revenue.id }]],
  'GET /api/notification-endpoints/{id}/attempts/': ({ revenue, endpoint }) => [[revenue, {}, { id: endpoint }]],
};

/** The routes that every run asks. Of the others the usual form asks some: all write their formats with the same code. */
const needed = new Set(['POST /api/costs/', 'POST /api/calls/']);

const parquet = 'application/vnd.apache.parquet';

test('D24.1: every format of every route with pages equals its pages, value by value', async () => {
  const operations = await readOperations(farthing);
  const offered = operations.filter(({ responses }) => responses['200']?.content[parquet] !== undefined);
  const paged = operations.filter(({ responses }) =>
    Object.hasOwn(Object(responses['200']?.content['application/json']?.schema?.properties), 'next_cursor'),
  );
  expect(Object.keys(questions).toSorted()).toEqual(paged.map(({ key }) => key).toSorted());
  // A route with pages offers formats, whatever its list is called, and so do two without (tests/api/D23-waste).
  const all = [...paged.map(({ key }) => key), 'GET /api/next-steps/', 'POST /api/waste/'];
  // Each answer of `/api/` that offers formats is a file alone too.
  const files = all.filter((key) => key.includes(' /api/')).map((key) => key.replace('/api/', '/api/files/'));
  expect(offered.map(({ key }) => key).toSorted()).toEqual([...all, ...files].toSorted());

  // A case has more than a hundred answers.
  await checkCases([historyOf(creditableEvent(denseDays)), contents], 10, async (past, contents) => {
    const world = await makeWorld(past, contents);
    const [ofCalls, others] = [paged.filter(({ key }) => needed.has(key)), paged.filter(({ key }) => !needed.has(key))];
    for (const { key, method, path } of [...ofCalls, ...someOf(others, 4)]) {
      // One after the other, because a project streams only a few answers at once.
      for (const [project, fields, steps = {}] of questions[key]?.(world) ?? []) {
        const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(steps[name] ?? ''));
        await expectSame(project, { method, path: filled, fields });
      }
    }
  });
});

/** Few rows a page, so that many answers have several. */
const pageRows = usualOrLong(40, 17);

async function expectSame(project: Project, question: Question): Promise<void> {
  const [rows, csv, ndjson, file] = await Promise.all([
    rowsOf(project, question, pageRows),
    answerIn('csv', project, question),
    answerIn('ndjson', project, question),
    answerIn('parquet', project, question),
  ]);
  const lines = ndjson.bytes
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  // Events are sent as they were posted, so that they can be posted again.
  expect(lines).toEqual(question.path === '/api/events/' ? rows.map(({ event }) => event) : rows);
  const table = readCsv(csv.bytes.toString());
  expectCsv(table, rows);
  const read = readParquet(file.bytes);
  expect(read.headers).toEqual(table.headers);
  expectParquet(read, rows);
}

interface Contents {
  readonly grants: readonly NewGrant[];
  readonly entries: readonly RevenueEntry[][];
  readonly metrics: readonly KeyMetric[];
  readonly ofInternal: History;
}

const contents: fc.Arbitrary<Contents> = fc.record({
  grants: grantsWithin(denseDays),
  entries: revenueWithin(denseDays, smallAmount),
  metrics: keyMetrics,
  ofInternal: historyOf(fc.oneof(creditableEvent(denseDays), customEvent(denseDays))),
});

async function makeWorld(past: History, { grants, entries, metrics, ofInternal }: Contents): Promise<World> {
  const [{ project: revenue }, { project: internal }] = await Promise.all([
    storeHistory(farthing, past),
    storeHistory(farthing, ofInternal, { type: 'internal' }),
  ]);
  await revenue.post({
    ...costEvent({ cost: 0.5, customer: '=acme' }),
    run_id: 'r1',
    timestamp: `${firstDay}T12:00:00Z`,
  });
  await grantCredits(revenue, grants);
  const close = await closeDays(revenue, addDays(firstDay, denseDays));
  for (const batch of entries) await addRevenue(revenue, ...batch);
  for (const { name, ...definition } of metrics) await internal.keyMetric(name, { ...definition });
  const invoices = ['m1', 'm1', null].map((model, at) => ({
    external_id: `inv-${at}`,
    provider: 'p1',
    model,
    amount: at - 1.5,
    date_from: addDays(firstDay, at),
    date_to: addDays(firstDay, at + 3),
    kind: model === null ? 'tax' : 'usage',
    description: '=a, "b"',
  }));
  expectStatus(await revenue.api('POST', '/api/invoices/', { entries: invoices }), 201);
  const shared = [1, -0.5].map((amount, at) => ({
    ...{ external_id: `gpu-${at}`, name: '=a, "b"', amount, allocate_by: 'calls', scope: { models: ['m1'] } },
    ...{ date_from: addDays(firstDay, at), date_to: addDays(firstDay, at + 3) },
  }));
  expectStatus(await revenue.api('POST', '/api/shared-costs/', { entries: shared }), 201);
  expectStatus(await revenue.api('PUT', '/api/exchange-rates/', { currency: 'EUR', day: firstDay, usd: 1.07 }), 200);
  expectStatus(
    await revenue.api('PUT', '/api/stripe/customers/', {
      customers: [{ stripe_customer: 'cus_1', customer: '+acme' }],
    }),
    200,
  );
  const made = await revenue.api('POST', '/api/notification-endpoints/', {
    kind: 'webhook',
    url: 'https://hooks.invalid/',
    enabled: false,
  });
  const endpoint = String(Object(expectStatus(made, 201)).id);
  const days = { date_from: firstDay, date_to: firstDay };
  // A reprice under way would be told of differently by the next answer.
  await repriceDays(revenue, days);
  return { revenue, internal, close: close.id, endpoint };
}
