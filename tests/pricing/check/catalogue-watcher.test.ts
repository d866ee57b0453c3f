import { afterAll, expect, test } from 'vitest';
import { installedCatalogue } from '../../../src/pricing/catalogue.ts';
import { fetchCatalogue, readCatalogueInForce, storeCatalogueUpdate } from '../../../src/pricing/catalogue-updates.ts';
import { CatalogueWatcher } from '../../../src/pricing/check/catalogue-watcher.ts';
import { NewerCatalogues, readSeenAt } from '../../../src/pricing/check/newer-catalogue.ts';
import type { Lease } from '../../../src/storage/control/lease.ts';
import { poll } from '../../support/poll.ts';
import { catalogueJson, startPriceUpstream } from '../../support/price-upstream.ts';
import { openControl } from '../../support/stores.ts';

const hour = 3_600_000;
const upstream = await startPriceUpstream();
const { control, close } = await openControl();
afterAll(async () => {
  await close();
  await upstream.stop();
});

let now = Date.UTC(2026, 10, 25);
let isHeld = true;
const warnings: unknown[] = [];
const quiet = () => undefined;
const lease = {
  confirm: async () => {
    if (!isHeld) throw new Error('the lease is lost');
  },
} as unknown as Lease;
const start = () =>
  new CatalogueWatcher({
    ...{ control, lease, clock: () => now, url: upstream.url },
    logger: { debug: quiet, info: quiet, warn: (detail: unknown) => void warnings.push(detail), error: quiet },
  });
const newer = new NewerCatalogues(control, { furtherInForce: async () => null });
const at = (input: number) => catalogueJson({ name: 'watched-llm', input, output: 1 });
const seenVersion = async () => (await newer.read())?.catalogue.version;

/** Steps until something was stored or warned of. */
async function stepThrough(watcher: CatalogueWatcher): Promise<void> {
  const [seen, warned] = [await readSeenAt(control), warnings.length];
  await poll('the fetch has ended', { within: 60_000, every: 5 }, async () => {
    await watcher.step();
    return (await readSeenAt(control)) !== seen || warnings.length > warned ? true : undefined;
  });
}

test('D5.2: newer list prices are seen once a day, and none comes into force', async () => {
  expect([await readSeenAt(control), await newer.read()]).toEqual([undefined, undefined]);
  upstream.answer(at(3));
  await stepThrough(start());
  const first = await seenVersion();
  expect(first).toContain(`${installedCatalogue().version}+`);
  expect(await readSeenAt(control)).toBe(now);
  expect((await readCatalogueInForce(control)).hash).toBe(installedCatalogue().hash);

  // The next holder of the lease goes on from the time that is stored.
  const watcher = start();
  upstream.answer(at(4));
  now += 23 * hour;
  for (let step = 0; step < 5; step += 1) expect(await watcher.step()).toBe(false);
  expect(await seenVersion()).toBe(first);
  now += hour;
  await stepThrough(watcher);
  expect(await seenVersion()).not.toBe(first);

  // What fails changes nothing, and is tried again after an hour.
  const second = await seenVersion();
  now += 24 * hour;
  upstream.answer('gone', 410);
  await stepThrough(watcher);
  expect(warnings).toHaveLength(1);
  expect(await seenVersion()).toBe(second);
  upstream.answer(at(5));
  now += hour / 2;
  for (let step = 0; step < 5; step += 1) await watcher.step();
  expect(await seenVersion()).toBe(second);
  now += hour / 2;
  await stepThrough(watcher);
  expect(await seenVersion()).not.toBe(second);

  // Once in force, it is no longer newer; nor is it after it was replaced by an update.
  await storeCatalogueUpdate(control, await fetchCatalogue(upstream.url), now + 1);
  expect(await newer.read()).toBeUndefined();
});

test('D5.2: an instance that has lost the lease stores nothing of what it has fetched', async () => {
  const watcher = start();
  now += 48 * hour;
  upstream.answer(at(6));
  const before = await readSeenAt(control);
  isHeld = false;
  await poll('the fetched data are refused', { within: 60_000, every: 5 }, async () => {
    const refused = await watcher.step().then(
      () => false,
      (error: Error) => error.message === 'the lease is lost',
    );
    return refused ? true : undefined;
  });
  isHeld = true;
  expect(await readSeenAt(control)).toBe(before);
});
