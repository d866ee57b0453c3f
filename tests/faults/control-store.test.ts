// SQLite's write-ahead log is cut off: committed transactions are lost, and no remaining data may be wrong.
import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connect } from '../support/client.ts';
import { isLong, usualOrLong } from '../support/effort.ts';
import { freePort } from '../support/ports.ts';
import { makeMigratedDataDir, startService } from '../support/service.ts';
import { untilSays } from './ready.ts';
import { countRounds, timeoutOf, tryRounds } from './rounds.ts';
import { untilAnswered, Workload } from './workload.ts';

const rounds = countRounds(1);
const round = fc.record({
  afterMs: fc.integer({ min: 300, max: 1_500 }),
  /** How much of it is kept, of what was written since the project was made; usually nothing, which must be noticed. */
  kept: usualOrLong(fc.constant(0), fc.double({ min: 0, max: 0.95, noNaN: true })),
});

test('D3.2, D4.7: a cut-off SQLite write-ahead log is detected, and no total is wrong', {
  timeout: timeoutOf(rounds),
}, async () => {
  await tryRounds('wal', rounds, round, async ({ afterMs, kept }, tried) => {
    const dataDir = makeMigratedDataDir();
    const options = { dataDir, port: await freePort(), env: { FARTHING_SEAL_AFTER_SECONDS: '0' } };
    const wal = join(dataDir, 'control.sqlite-wal');
    let service = await startService(options);
    try {
      const project = await connect(service.url, service.adminToken).createProject();
      const before = await Workload.begin(project, []);
      await pause(afterMs);
      await before.finish();
      const known = readCommits(wal);
      await pause(600);
      before.goOn();
      await pause(afterMs);
      await before.stop();
      // Until all of it is in the calls, which is what the control store has to know of.
      await untilAnswered(() => project.totalCost());
      await service.kill();
      const { salt, ends } = readCommits(wal);
      // SQLite begins the log anew now and then: what was in it before is in the database then.
      const safe = salt === known.salt ? known.ends.length : 0;
      const cut = safe + Math.floor(kept * (ends.length - safe));
      truncateSync(wal, ends[cut - 1] ?? headerBytes);
      tried('write-ahead log cut off');

      service = await startService(options);
      if (cut === safe) {
        await untilSays(service, 'the control store has lost changes', ({ warnings }) =>
          warnings.some((warning) => warning.includes('the control store has lost its last changes')),
        );
        expect(service.output()).toContain('the control store has lost its last changes');
      }
      await before.finish();
      expect((await service.stop()).code).toBe(0);
      if (isLong) {
        // It is made good, so the next start has nothing to say.
        service = await startService(options);
        await untilSays(service, 'all is well', ({ ok, warnings }) => ok && warnings.length === 0);
        await before.expectModel();
      }
    } finally {
      await service.kill();
    }
  });
});

const headerBytes = 32;
const frameHeaderBytes = 24;

/** Where the transactions of a write-ahead log end, by SQLite's file format; what an earlier log has left behind it is none. */
function readCommits(path: string): { readonly salt: string; readonly ends: readonly number[] } {
  const bytes = readFileSync(path);
  const frameBytes = frameHeaderBytes + bytes.readUInt32BE(8);
  const salt = bytes.toString('hex', 16, 24);
  const ends: number[] = [];
  for (let at = headerBytes; at + frameBytes <= bytes.length; at += frameBytes) {
    if (bytes.toString('hex', at + 8, at + 16) !== salt) break;
    if (bytes.readUInt32BE(at + 4) > 0) ends.push(at + frameBytes);
  }
  return { salt, ends };
}
