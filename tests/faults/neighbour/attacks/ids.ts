// Events that are dear to assemble: one id for all, and events far apart in time.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Attack } from '../attack.ts';
import { makeBatch } from '../target.ts';

const gzipped = { 'content-encoding': 'gzip' };
const hourMs = 3_600_000;

/** 1,800 events of one id, each with as many and as wide tags as an event may have. */
const oneWideId: Attack = {
  name: 'one id with the widest tags',
  run: async (target) => {
    const event_id = randomUUID();
    const tags = Object.fromEntries(Array.from({ length: 100 }, (_, key) => [`k${key}`, '😀'.repeat(1_024)]));
    const batch = makeBatch(40, () => ({ event_id, tags }));
    const body = gzipSync(batch, { level: 1 });
    await target.repeat(2, (serial) => target.post(body, { calls: serial === 0 ? 1 : 0, headers: gzipped }));
  },
};

const oneId: Attack = {
  name: 'a million events of one id',
  run: async (target) => {
    const event_id = randomUUID();
    const body = gzipSync(
      makeBatch(10_000, () => ({ event_id })),
      { level: 1 },
    );
    await target.repeat(2, (serial) => target.post(body, { calls: serial === 0 ? 1 : 0, headers: gzipped }));
  },
};

/** Every event has a second one of its id that comes later, so that assembly must look back for each. */
const pairsApart: Attack = {
  name: 'outcomes long after their first events',
  run: async (target) => {
    const batches: string[] = [];
    await target.repeat(2, async (serial) => {
      if (serial % 2 === 0 || batches.length === 0) {
        const batch = makeBatch(2_000, () => ({ tags: { customer: `c${serial}` } }));
        const { status } = await target.post(batch, { calls: 2_000 });
        if (status === 200 && batches.length < 50) batches.push(batch);
      } else {
        await target.post(batches[serial % batches.length] ?? '[]', { calls: 0 });
      }
    });
  },
};

/** Calls of every month since 2000: each batch of assembly has a part of a table for each of them. */
const everyMonth: Attack = {
  name: 'events of every month since 2000',
  run: async (target) => {
    const first = Date.UTC(2000, 0, 2);
    const months = target.size(40, 300);
    await target.repeat(2, (serial) =>
      target.post(
        makeBatch(months, (index) => ({
          timestamp: new Date(first + index * 31 * 24 * hourMs).toISOString(),
          tags: { customer: `c${serial}` },
        })),
        { calls: months },
      ),
    );
  },
};

/** Touches 9,000 days again and again, each of which is then rolled up again. */
const everyDay: Attack = {
  name: 'events of every day since 2000, with new names',
  run: async (target) => {
    const first = Date.UTC(2000, 0, 2);
    await target.repeat(2, (serial) =>
      target.post(
        makeBatch(3_000, (index) => ({
          timestamp: new Date(
            first + ((serial * 3_000 + index) % target.size(1_200, 9_000)) * 24 * hourMs,
          ).toISOString(),
          model: `m${serial}-${index}`,
          tags: { customer: `c${serial}-${index}`, user: `u${index}`, feature: `f${index}`, run_id: 'one' },
        })),
        { calls: 3_000 },
      ),
    );
  },
};

/** Each call crosses days and customers of one run. */
const oneRun: Attack = {
  name: 'one run of all calls, days and customers',
  run: async (target) => {
    const now = Date.now();
    await target.repeat(2, (serial) =>
      target.post(
        makeBatch(2_000, (index) => ({
          timestamp: new Date(now - (index % 300) * 24 * hourMs).toISOString(),
          tags: { customer: `c${serial}-${index}`, feature: 'f', run_id: 'the run' },
        })),
        { calls: 2_000 },
      ),
    );
  },
};

export const idAttacks: readonly Attack[] = [oneWideId, oneId, pairsApart, everyMonth, everyDay, oneRun];
