import { afterAll, expect, test } from 'vitest';
import { Projects } from '../../src/accounts/projects.ts';
import { PriceBooks } from '../../src/pricing/books/price-books.ts';
import { changeTimezone, type TimezoneSources } from '../../src/server/operations/change-timezone.ts';
import type { AnalyticStore } from '../../src/storage/analytic/analytic-store.ts';
import { makeProject, openControl } from '../support/stores.ts';

const { control, close } = await openControl();
afterAll(close);

/** What an instance changes timezones with, in a store that has events of every project or of none. */
const instance = (hasEvents: boolean): TimezoneSources => ({
  control,
  store: { select: async () => (hasEvents ? [1] : []) } as unknown as AnalyticStore,
  projects: new Projects(control, Date.now),
  priceBooks: new PriceBooks(control, Date.now),
  clock: Date.now,
  flush: async () => undefined,
  onRebuild: () => undefined,
});

test('D2: of two timezones asked for at once one is refused, and the days are rebuilt once', async () => {
  const sources = instance(true);
  const { id } = await makeProject(control, Date.now);
  const asked = ['Asia/Tokyo', 'Asia/Kolkata'].map((timezone) => changeTimezone(id, timezone, sources));
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } });
  const rebuilds = await control.selectFrom('rebuilds').select('timezone').where('project_id', '=', id).execute();
  expect(rebuilds).toEqual([{ timezone: (await sources.projects.find(id))?.pendingTimezone }]);
});

test('D2: an instance that has not heard of the last change of a timezone changes it all the same', async () => {
  const [one, other] = [instance(false), instance(false)];
  const { id } = await makeProject(control, Date.now);
  expect((await other.projects.find(id))?.timezone).toBe('UTC');
  await changeTimezone(id, 'Asia/Tokyo', one);
  await changeTimezone(id, 'UTC', other);
  expect((await instance(false).projects.find(id))?.timezone).toBe('UTC');
});
