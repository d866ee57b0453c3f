// Facts of a close: whatever changes afterwards, they are what the current ones were (D19.1).
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeTags } from '../../src/accounts/customers/tag-store.ts';
import { putKeyMetric } from '../../src/accounts/key-metrics/key-metrics.ts';
import { Projects } from '../../src/accounts/projects.ts';
import { deleteEntry, storeEntries } from '../../src/billing/revenue/entries.ts';
import { PriceBooks } from '../../src/pricing/books/price-books.ts';
import { currentFacts, type Facts, pinnedFacts, readPinnedProject } from '../../src/reports/facts/facts.ts';
import { addGrant, readGrants } from '../../src/reports/facts/grants.ts';
import { eraseFromClosedFacts, pinFacts, unpinFacts } from '../../src/reports/facts/pin-facts.ts';
import { deleteRows } from '../../src/storage/control/control-store.ts';
import { usualOrLong } from '../support/effort.ts';
import { type OpenControl, openControl } from '../support/stores.ts';

const clock = () => Date.UTC(2026, 0, 15);
let opened: OpenControl;

beforeAll(async () => {
  opened = await openControl();
});

afterAll(async () => {
  await opened?.close();
});

const through = '2026-01-31';
const names = ['a', 'b', 'ﬁ', '😀'];
const name = fc.constantFrom(...names);
const day = fc
  .integer({ min: 0, max: 90 })
  .map((at) => new Date(Date.UTC(2025, 11, 1 + at)).toISOString().slice(0, 10));

/** A change of one fact. */
const change = fc.oneof(
  fc.record({
    kind: fc.constant('tag' as const),
    dimension: fc.constantFrom('customer' as const, 'user' as const),
    name,
    key: fc.constantFrom('plan', 'team'),
    value: fc.constantFrom('x', 'y', null),
  }),
  fc.record({ kind: fc.constant('grant' as const), amount: fc.bigInt({ min: 1n, max: 10n ** 13n }), startsOn: day }),
  fc.record({ kind: fc.constant('ungrant' as const) }),
  fc.record({
    kind: fc.constant('revenue' as const),
    id: fc.constantFrom('e1', 'e2', 'e3', 'e4', 'e5'),
    customer: name,
    amount: fc.bigInt({ min: -(10n ** 13n), max: 10n ** 13n }),
    days: fc.tuple(day, day).map((days) => days.toSorted()),
  }),
  fc.record({ kind: fc.constant('unrevenue' as const), id: fc.constantFrom('e1', 'e2', 'e3') }),
  fc.record({
    kind: fc.constant('metric' as const),
    name: fc.constantFrom('solved', 'sent'),
    eventType: fc.constantFrom('t', 'u'),
    field: fc.constantFrom('/n', '/m'),
  }),
  fc.record({ kind: fc.constant('unmetric' as const), name: fc.constantFrom('solved', 'sent') }),
  fc.record({ kind: fc.constant('risk' as const), percent: fc.option(fc.integer({ min: 0, max: 90 })) }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

async function make(projectId: string, projects: Projects, made: Change): Promise<void> {
  const { control } = opened;
  const sources = { control, clock };
  switch (made.kind) {
    case 'tag': {
      const tags = new Map([[made.key, made.value]]);
      await changeTags(control, projectId, made.dimension, [{ name: made.name, tags }], { upsert: true });
      return;
    }
    case 'grant': {
      const terms = { name: null, provider: 'openai', models: ['gpt-*'], expiresOn: null, priority: 0 };
      await addGrant(sources, projectId, { ...terms, amount: made.amount, startsOn: made.startsOn });
      return;
    }
    case 'ungrant': {
      const [first] = await readGrants(control, projectId);
      if (first) await deleteRows(control, 'credit_grants', { project_id: projectId, id: first.id });
      return;
    }
    case 'revenue': {
      const [dateFrom = '', dateTo = ''] = made.days;
      const { id: externalId, customer, amount } = made;
      await storeEntries(control, projectId, [{ externalId, customer, amount, dateFrom, dateTo }], clock);
      return;
    }
    case 'unrevenue':
      await deleteEntry(control, projectId, made.id);
      return;
    case 'metric': {
      const { eventType, field } = made;
      const definition = { eventType, field, aggregation: 'sum' as const, features: ['chat'], unit: null };
      await putKeyMetric(sources, projectId, made.name, definition);
      return;
    }
    case 'unmetric':
      await deleteRows(control, 'key_metrics', { project_id: projectId, name: made.name });
      return;
    case 'risk':
      await projects.change(projectId, { atRiskBelowPct: made.percent });
  }
}

/** All that answers up to the last day of the close can learn. */
async function learn(facts: Facts) {
  const tagged: string[][] = [];
  for (const dimension of ['customer', 'user'] as const) {
    for (const tags of [{ plan: ['x'] }, { plan: ['x', 'y'], team: ['y'] }, { plan: [] }, { 'pl\0an': ['x'] }]) {
      tagged.push((await facts.findTagged(dimension, new Map(Object.entries(tags)))).toSorted());
    }
  }
  const spans = [
    { dateFrom: '2025-12-01', dateTo: through },
    { dateFrom: '2026-01-10', dateTo: '2026-01-12' },
  ];
  const queries = spans.flatMap((span) => [
    span,
    { ...span, customers: ['a', '😀', ''] },
    { ...span, afterCustomer: 'a', maxCustomers: 2 },
  ]);
  const spell = (value: unknown) => JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part));
  const allocations: string[][] = [];
  for (const query of queries) allocations.push((await facts.readAllocations(query)).map(spell).toSorted());
  const next = await Promise.all(
    [undefined, ['b']].map((customers) => facts.readNextDay({ dateFrom: '2026-01-05', customers })),
  );
  return {
    tagged,
    allocations,
    nextDays: next.map((found) => (found !== undefined && found <= through ? found : undefined)),
    grants: await facts.readGrants(),
    metrics: await facts.readKeyMetrics(),
  };
}

async function makeWorld() {
  const { control } = opened;
  const projects = new Projects(control, clock);
  const fields = { name: 'a test', type: 'revenue' as const, timezone: 'UTC', atRiskBelowPct: 5 };
  const project = await projects.create(fields, new PriceBooks(control, clock));
  const current = async () => {
    projects.forget(project.id);
    return (await projects.find(project.id)) ?? project;
  };
  const pin = async () => {
    const close = { closeId: randomUUID(), projectId: project.id, through };
    await control.transaction().execute((transaction) => pinFacts(transaction, close));
    return close;
  };
  return { control, projects, projectId: project.id, current, pin };
}

test('D19.1: the facts of a close are those of its time, whatever changes afterwards', async () => {
  const { control, projects, projectId, current, pin } = await makeWorld();
  const changes = fc.array(change, { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(changes, changes, async (before, after) => {
      for (const made of before) await make(projectId, projects, made);
      const expected = await learn(currentFacts(control, projectId));
      const project = await current();
      const close = await pin();
      for (const made of after) await make(projectId, projects, made);
      expect(await learn(pinnedFacts(control, close))).toEqual(expected);
      expect(await readPinnedProject(control, close.closeId, await current())).toEqual(project);
    }),
    { numRuns: usualOrLong(10, 500) },
  );
});

test('D19.1: a key metric of the close has readings for all of its days, and those kept before stay', async () => {
  const { control, projectId, pin } = await makeWorld();
  const reading = JSON.stringify(['t', 'count', []]);
  await control
    .insertInto('kept_readings')
    .values({ project_id: projectId, reading, kept_from: '2025-06-01', kept_before: '2025-12-01' })
    .execute();
  await control.updateTable('projects').set({ frozen_before: '2025-12-01' }).where('id', '=', projectId).execute();
  const definition = { eventType: 'u', aggregation: 'sum' as const, field: '/n', features: null, unit: null };
  await putKeyMetric({ control, clock }, projectId, 'sent', definition);
  const kept = await pinnedFacts(control, await pin()).readKeptReadings();
  const spans = kept.map((row) => [row.reading, row.kept_from, row.kept_before]);
  expect(spans.toSorted()).toEqual([
    [reading, '2025-06-01', '2025-12-01'],
    [JSON.stringify(['u', 'sum', ['n']]), '2025-12-01', '2026-02-01'],
  ]);
});

test('D19.2: an erased customer is in no fact of a close, and its revenue stays in the totals', async () => {
  const { control, projects, projectId, pin } = await makeWorld();
  const days = ['2026-01-01', '2026-01-31'];
  await make(projectId, projects, { kind: 'revenue', id: 'e1', customer: 'a', amount: 31n, days });
  await make(projectId, projects, { kind: 'revenue', id: 'e2', customer: 'b', amount: 62n, days });
  for (const name of ['a', 'b']) {
    await make(projectId, projects, { kind: 'tag', dimension: 'customer', name, key: 'plan', value: 'x' });
  }
  const close = await pin();
  await control
    .transaction()
    .execute((transaction) => eraseFromClosedFacts(transaction, projectId, { dimension: 'customer', name: 'a' }));
  const facts = pinnedFacts(control, close);
  expect(await facts.findTagged('customer', new Map([['plan', ['x']]]))).toEqual(['b']);
  const entries = await facts.readAllocations({ dateFrom: '2026-01-01', dateTo: '2026-01-31' });
  expect(entries.map(({ customer, allocation }) => [customer, allocation.daily]).toSorted()).toEqual([
    ['', 1n],
    ['b', 2n],
  ]);
  await unpinFacts(control, close.closeId);
  expect(await facts.readAllocations({ dateFrom: '2026-01-01', dateTo: '2026-01-31' })).toEqual([]);
});
