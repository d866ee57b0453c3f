// The lease and the watermark: what decides which of several assemblers counts.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import '../support/provided.ts';
import {
  advanceWatermark,
  noteIdle,
  readWatermarks,
  registerWriter,
  retireWriter,
} from '../../src/calls/assembly/watermarks.ts';
import { type ControlStore, openControlStore } from '../../src/storage/control/control-store.ts';
import { Lease, LeaseLost } from '../../src/storage/control/lease.ts';
import { createDatabase } from '../support/postgres.ts';

const leaseMs = 5_000;

describe.each(['sqlite', 'postgres'] as const)('with the control store in %s', (kind) => {
  let dataDir: string;
  let control: ControlStore;
  let now = 1_000_000;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'farthing-lease-'));
    const postgresUrl = kind === 'postgres' ? await createDatabase(inject('postgresUrl')) : undefined;
    control = await openControlStore({ dataDir, postgresUrl, onError: () => undefined });
  });

  afterAll(async () => {
    await control?.destroy();
    await rm(dataDir, { recursive: true, force: true });
  });

  beforeEach(() => {
    // The lease of the previous test's holder has run out.
    now += 10 * leaseMs;
  });

  const leaseOf = (holder: string, exclusive = false) => new Lease({ control, clock: () => now, holder, exclusive });

  const row = async () => await control.selectFrom('lease').selectAll().executeTakeFirstOrThrow();

  test('is held by one at a time, until it runs out; the next holder has a higher epoch', async () => {
    const [first, second] = [leaseOf('first'), leaseOf('second')];
    expect(await first.acquire()).toBe(true);
    const { epoch } = await row();
    expect(await second.acquire()).toBe(false);
    expect(second.isHeld).toBe(false);
    now += leaseMs;
    expect(await second.acquire()).toBe(false);
    expect(await row()).toMatchObject({ holder: 'first', epoch });

    now += 1;
    expect(await second.acquire()).toBe(true);
    expect(second.isHeld).toBe(true);
    expect(await row()).toMatchObject({ holder: 'second', epoch: epoch + 1 });
  });

  test('goes to exactly one of many who ask at once', async () => {
    const leases = Array.from({ length: 8 }, (_, index) => leaseOf(`asks ${index}`));
    const taken = await Promise.all(leases.map((lease) => lease.acquire()));
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(leases.map((lease) => lease.isHeld)).toEqual(taken);
  });

  test('is renewed by each version, and the numbers rise over all holders', async () => {
    const [first, second] = [leaseOf('first'), leaseOf('second')];
    await first.acquire();
    const one = await first.nextVersion();
    now += leaseMs - 1;
    const two = await first.nextVersion();
    now += leaseMs - 1;
    expect(await second.acquire()).toBe(false);
    now += 2;
    expect(await second.acquire()).toBe(true);
    const three = await second.nextVersion();
    expect(two).toBeGreaterThan(one);
    expect(three).toBeGreaterThan(two);
  });

  test('once taken over gives its former holder nothing more, not even when it has run out again', async () => {
    const [first, second] = [leaseOf('first'), leaseOf('second')];
    await first.acquire();
    now += leaseMs + 1;
    await second.acquire();
    now += leaseMs + 1;
    const { version } = await row();
    await expect(first.nextVersion()).rejects.toThrow(LeaseLost);
    expect(first.isHeld).toBe(false);
    expect((await row()).version).toBe(version);
  });

  test('is confirmed inside a transaction, or takes the whole transaction back', async () => {
    const [first, second] = [leaseOf('first'), leaseOf('second')];
    await registerWriter(control, `of confirm ${now}`, now);
    const from = (await readWatermarks(control)).find(({ writer }) => writer === `of confirm ${now}`);
    if (!from) throw new Error('the writer is registered');
    const move = async (lease: Lease, seq: number) =>
      await control.transaction().execute(async (transaction) => {
        await advanceWatermark(transaction, from, { seq, receivedAt: seq });
        await lease.confirm(transaction);
      });

    await first.acquire();
    now += leaseMs + 1;
    await second.acquire();
    await expect(move(first, 7)).rejects.toThrow(LeaseLost);
    expect(first.isHeld).toBe(false);
    expect(await readWatermarks(control)).toContainEqual(from);
    await move(second, 8);
    expect(await readWatermarks(control)).toContainEqual({ ...from, seq: 8, receivedAt: 8 });
  });

  test('is required without a write while it lasts, and is renewed before it runs out', async () => {
    const [first, second] = [leaseOf('first'), leaseOf('second')];
    await first.acquire();
    const taken = await row();
    now += leaseMs / 2;
    await first.requireHeld();
    expect(await row()).toEqual(taken);

    now += 1;
    await first.requireHeld();
    expect(await row()).toEqual({ ...taken, expires_at: now + leaseMs });

    now += leaseMs + 1;
    await second.acquire();
    const ofSecond = await row();
    await expect(first.requireHeld()).rejects.toThrow(LeaseLost);
    expect(first.isHeld).toBe(false);
    expect(await row()).toEqual(ofSecond);
  });

  test('can be taken at once after a release, and only its holder can release it', async () => {
    const [first, second, third] = [leaseOf('first'), leaseOf('second'), leaseOf('third')];
    await first.acquire();
    await first.release();
    expect(first.isHeld).toBe(false);
    await expect(first.nextVersion()).rejects.toThrow(LeaseLost);
    expect(await second.acquire()).toBe(true);

    now += leaseMs + 1;
    expect(await third.acquire()).toBe(true);
    await second.release();
    expect(await first.acquire()).toBe(false);
    expect(await third.nextVersion()).toBeGreaterThan(0);
  });

  test('is taken before it runs out when the holder is known to be dead', async () => {
    const [first, second] = [leaseOf('first'), leaseOf('second', true)];
    await first.acquire();
    expect(await second.acquire()).toBe(true);
    await expect(first.nextVersion()).rejects.toThrow(LeaseLost);
  });

  test('a watermark moves only from where it was read', async () => {
    const writer = `of watermark ${now}`;
    await registerWriter(control, writer, now);
    const read = async () => {
      const found = (await readWatermarks(control)).find((watermark) => watermark.writer === writer);
      if (!found) throw new Error('the writer is registered');
      return found;
    };
    const from = await read();
    expect(from).toEqual({ writer, seq: 0, receivedAt: now, lastSeenAt: now, storedSeq: null });
    await advanceWatermark(control, from, { seq: 5, receivedAt: 50 });
    await expect(advanceWatermark(control, from, { seq: 9, receivedAt: 90 })).rejects.toThrow(LeaseLost);
    expect(await read()).toEqual({ writer, seq: 5, receivedAt: 50, lastSeenAt: now, storedSeq: null });

    // Quiet since then, if no event came after the fifth; never a step back.
    for (const quiet of [
      { seq: 4, receivedAt: 90 },
      { seq: 6, receivedAt: 90 },
      { seq: 5, receivedAt: 70 },
      { seq: 5, receivedAt: 60 },
    ]) {
      await noteIdle(control, writer, quiet);
    }
    expect(await read()).toMatchObject({ seq: 5, receivedAt: 70 });

    await retireWriter(control, from);
    expect(await read()).toMatchObject({ seq: 5 });
    await retireWriter(control, await read());
    await expect(read()).rejects.toThrow('the writer is registered');
  });
});
