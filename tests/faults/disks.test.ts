// A disk that is full, slow, or read-only because it has failed.
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, costEvent, expectStatus } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { poll } from '../support/poll.ts';
import { freePort } from '../support/ports.ts';
import { expectProblem } from '../support/problem.ts';
import { launchService, type Service, type ServiceOptions, startService } from '../support/service.ts';
import { Disk } from './disk.ts';
import { untilSays, untilWell } from './ready.ts';
import { countRounds, timeoutOf, tryRounds } from './rounds.ts';
import { type OtherWork, Workload } from './workload.ts';

const rounds = countRounds(1);

const round = fc.record({
  work: fc.subarray<OtherWork>(usualOrLong(['tags'], ['tags', 'reprices'])),
  afterMs: fc.integer({ min: 20, max: 900 }),
  lastsMs: fc.integer({ min: 200, max: usualOrLong(600, 2_500) }),
  /** Room that a full disk has left, in bytes. */
  leftBytes: fc.constantFrom(0, 4_096, 65_536, ...usualOrLong([], [1_048_576])),
  stillMs: fc.integer({ min: 50, max: 900 }),
  goesMs: fc.integer({ min: 5, max: 300 }),
  /** Usually tests/faults/kills kills the service. */
  isKilled: usualOrLong(fc.constant(false), fc.boolean()),
});

/** A process that was killed may have it open for a moment more. */
const untilFree = (release: () => void) =>
  poll('the disk is free', { within: 60_000, every: 200 }, () => {
    try {
      release();
      return true;
    } catch {
      return undefined;
    }
  });

/** One disk and one service on it, which the tests break and mend in turn. */
let disk: Disk;
let options: ServiceOptions;
let service: Service;

beforeAll(async () => {
  disk = Disk.open();
  options = { dataDir: disk.dataDir, port: await freePort(), env: { FARTHING_SEAL_AFTER_SECONDS: '0' } };
  service = await startService(options);
});
afterAll(async () => {
  await service?.kill();
  await untilFree(() => disk?.close());
});

// A slow one loses nothing that a stalled store does not (tests/crash/journal), so the usual form leaves it out.
for (const fault of ['full', ...usualOrLong([], ['slow'] as const), 'read-only'] as const) {
  test(`D3.2, D3.7: a disk that is ${fault} loses no acknowledged event, and is reported`, {
    timeout: timeoutOf(rounds),
  }, async () => {
    await tryRounds(`disk ${fault}`, rounds, round, async (chosen, tried) => {
      const { work, afterMs, lastsMs, leftBytes, stillMs, goesMs, isKilled } = chosen;
      const workload = await Workload.begin(await connect(service.url, service.adminToken).createProject(), work);
      await pause(afterMs);
      const { length: said } = service.output();
      if (fault === 'slow') await disk.slow({ lastsMs, stillMs, goesMs });
      if (fault === 'full') {
        disk.fill(leftBytes);
        // What is left is used up soon, or all of it is already.
        await untilSaid('the disk is full', said);
        await pause(lastsMs);
      }
      if (fault === 'read-only') {
        disk.breakDown();
        await untilSaid('the disk is read-only', said);
        await pause(lastsMs);
      }
      tried(`disk ${fault}${isKilled ? ', and a kill' : ''}`);
      if (isKilled || fault === 'read-only') await service.kill();
      if (fault === 'full') disk.clear();
      if (fault === 'read-only') {
        await untilFree(() => disk.unmount());
        disk.mount();
      }
      if (isKilled || fault === 'read-only') service = await startService(options);
      await untilWell(service);
      await workload.finish();
      expect(workload.acknowledged).toBeGreaterThan(0);
    });
  });
}

test('D3.2, D3.7: a start on a full disk answers 503 until there is room, and has every acknowledged event then', async () => {
  const project = await connect(service.url, service.adminToken).createProject();
  // The store gets none of it before the kill.
  for (const pid of service.childProcesses()) process.kill(pid, 'SIGSTOP');
  const sent = Array.from({ length: 3 }, () => costEvent({ cost: 2 }));
  expectStatus(await project.intake({ body: sent }), 200);
  await service.kill();
  disk.fill(0);
  service = await launchService(options);
  const { ok } = await untilSays(service, 'the disk is full', ({ warnings }) => /the disk is full/.test(`${warnings}`));
  expect(ok).toBe(false);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  for (const answer of [await project.intake({ body: sent }), await project.api('POST', '/api/costs/', {})]) {
    const { detail } = expectProblem(answer, 503, 'unavailable');
    expect(detail).toContain('full');
    expect(answer.headers.get('retry-after')).toBe('5');
  }
  disk.clear();
  await untilWell(service);
  const costs = await project.api('POST', '/api/costs/', { date_from: '2020-01-01', aggregate: 'all' });
  expect(expectStatus(costs, 200)).toMatchObject({ rows: [{ cost: 6 }] });
  expect((await service.stop()).code).toBe(0);
});

/** Waits until the service reports it, and has said it in its log after so many characters. */
async function untilSaid(what: string, after: number): Promise<void> {
  await untilSays(service, what, ({ warnings }) => warnings.some((warning) => warning.includes(what)));
  await poll('the log says it too', { within: 60_000 }, () =>
    /events could not be stored|assembly failed|because of the disk/.test(service.output().slice(after))
      ? true
      : undefined,
  );
}
