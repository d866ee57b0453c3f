import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KeyMetricDefinition, putKeyMetric } from '../../src/accounts/key-metrics/key-metrics.ts';
import { countSkippedEvents } from '../../src/reports/performance/skipped.ts';
import { textColumns } from '../../src/storage/analytic/native-block.ts';
import { makeProject, openStores, type Stores } from '../support/stores.ts';

const clock = () => Date.UTC(2026, 0, 15);
let stores: Stores;

beforeAll(async () => {
  stores = await openStores();
});

afterAll(async () => {
  await stores?.close();
});

let seq = 0;
const columns = ['writer', 'seq', 'project', 'received_at', 'event_id', 'event_type', 'phase', 'event_time', 'text'];

/** Stores a custom event as the intake does. */
async function storeEvent(
  project: string,
  day: string,
  type: string,
  members: string,
  id = randomUUID(),
): Promise<void> {
  seq += 1;
  const time = `${day}T12:00:00`;
  const text = `{"event_id":"${id}","event_type":"${type}",${members}}`;
  const received = new Date(clock() + seq).toISOString().slice(0, -1);
  await stores.store.insertRows('events', textColumns(columns), [
    ['w', String(seq), project, received, id, type, 'custom', time, text],
  ]);
}

test('D9.1: events that hold no value which a key metric can use are counted, once each and in their range', async () => {
  const project = await makeProject(stores.control, clock, 'internal');
  const define = async (name: string, definition: Pick<KeyMetricDefinition, 'eventType' | 'aggregation' | 'field'>) =>
    await putKeyMetric({ control: stores.control, clock }, project.id, name, {
      ...definition,
      features: null,
      unit: null,
    });
  await define('sum', { eventType: 'e', aggregation: 'sum', field: '/v' });
  await define('unique', { eventType: 'e', aggregation: 'unique', field: '/v' });
  await define('count', { eventType: 'e', aggregation: 'count', field: null });
  await define('fed', { eventType: 'f', aggregation: 'sum', field: '/v' });
  await define('unheard of', { eventType: 'g', aggregation: 'sum', field: '/v' });
  const repeated = randomUUID();
  for (const members of ['"v":1', '"v":"1"', '"v":null', '"w":1', '"v":1e500', '"v":[1]', '"v":1,"v":{}', '"v":1e-7']) {
    await storeEvent(project.id, '2026-01-10', 'e', members);
  }
  await storeEvent(project.id, '2026-01-10', 'e', '"v":"x"', repeated);
  await storeEvent(project.id, '2026-01-10', 'e', '"v":"x"', repeated);
  await storeEvent(project.id, '2026-01-11', 'e', '"v":"x"');
  await storeEvent(project.id, '2026-01-10', 'f', '"v":-2.5');

  const counts = await countSkippedEvents(stores, project, {
    dateFrom: '2026-01-09',
    dateTo: '2026-01-10',
  });
  // Of nine events, 1 and 1e-7 feed the sum; null and the missing one are no values to unique.
  expect(Object.fromEntries(counts)).toEqual({ sum: 7, unique: 2, count: 0, fed: 0, 'unheard of': 0 });
});

test('D9.1: without key metrics there is nothing to count', async () => {
  const project = await makeProject(stores.control, clock, 'internal');
  const range = { dateFrom: '2026-01-09', dateTo: '2026-01-10' };
  expect(await countSkippedEvents(stores, project, range)).toEqual(new Map());
});
