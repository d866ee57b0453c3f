// A reprice that is killed leaves what was in force whole, and goes on after the restart (D5.5).
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connect, type Farthing, type Project, tokenEvent } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { poll } from '../support/poll.ts';
import { freePort } from '../support/ports.ts';
import { askForReprice, readReprice } from '../support/reprice.ts';
import { makeMigratedDataDir, startService } from '../support/service.ts';

const calls = 16_000;
const kills = usualOrLong(3, 12);
/** About how long a reprice of so many calls takes, in milliseconds: the kills are spread over it. */
const repriceMs = 1_200;

test('D5.5: kills in the middle of reprices leave one price or the other, and every reprice is finished', async () => {
  const dataDir = makeMigratedDataDir();
  const port = await freePort();
  const start = async () => await startService({ dataDir, port });
  let service = await start();
  try {
    const farthing: Farthing = connect(service.url, service.adminToken);
    const project = await farthing.createProject();
    let priceId = await setPrice(project, 1);
    for (let at = 0; at < calls; at += 8_000) {
      const events = Array.from({ length: 8_000 }, () =>
        tokenEvent({ event_id: randomUUID(), prompt_tokens: 1_000_000, tags: { customer: 'acme' } }),
      );
      await project.post(...events);
    }
    let price = 1;
    expect(await project.totalCost()).toBe(calls);
    const seenAfterKill = new Set<string>();

    for (let kill = 0; kill < kills; kill += 1) {
      const before = price;
      price += 1;
      await project.api('DELETE', `/api/prices/${priceId}/`);
      priceId = await setPrice(project, price);
      const id = await askForReprice(project, { date_from: '2024-05-01', date_to: '2024-05-31', dry_run: false });
      // Somewhere between its first and its last step.
      await poll('it has begun', { within: 30_000, every: 2 }, async () =>
        (await readReprice(project, id)).state === 'queued' ? undefined : true,
      );
      await pause((repriceMs * kill) / kills);
      await service.kill();
      service = await start();

      // Until it is done, and when it is, all calls have one price.
      await poll('it is done', { within: 60_000 }, async () => {
        const state = (await readReprice(project, id)).state;
        const total = await project.totalCost();
        expect([before * calls, price * calls]).toContain(total);
        seenAfterKill.add(state === 'done' ? 'done' : total === before * calls ? 'old' : 'new');
        return state === 'done' ? true : undefined;
      });
      expect(await project.totalCost()).toBe(price * calls);
      expect(await readReprice(project, id)).toMatchObject({
        before: before * calls,
        after: price * calls,
        progress: 1,
      });
    }
    // Otherwise every kill came too late to prove anything.
    expect(seenAfterKill).toContain('old');
  } finally {
    await service.kill();
  }
});

async function setPrice(project: Project, usdPerMtok: number): Promise<string> {
  return await project.addPrice({ model: 'm1', input_per_mtok: usdPerMtok, output_per_mtok: 0 });
}
