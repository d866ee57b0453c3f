// The questions that the service asks itself after a start.
import { expect, test, vi } from 'vitest';
import { Progress } from '../../src/calls/assembly/progress.ts';
import { AnswerCache } from '../../src/reports/asking/answer-cache.ts';
import { Sealer } from '../../src/rollups/rollups/sealer.ts';
import { warmUp } from '../../src/server/warm-up.ts';
import {
  assembleAll,
  base,
  deliver,
  hour,
  newEventId,
  openWorldOfFile,
  quietLogger,
  takeLease,
  type World,
  Writer,
} from '../assembly/world.ts';

const world = await openWorldOfFile();

const sourcesOf = ({ store, control, engine, clock, projects, priceBooks }: World) => {
  const logger = { ...quietLogger, debug: vi.fn() };
  return [
    // Of the engine and the logger only these are used.
    {
      logger,
      stores: { store, control, engine },
      clock: () => clock.now,
      projects,
      priceBooks,
    } as unknown as Parameters<typeof warmUp>[0],
    { progress: new Progress(() => clock.now) },
    { answerCache: new AnswerCache(store) },
  ] as const;
};

test('a start asks a sealed day once of each table of rollups that the usual questions read', async () => {
  const writer = new Writer();
  const event = { event_id: newEventId(), event_type: 'x.after', cost: 1, tags: { customer: 'acme' } };
  world.clock.now = base + 100 * hour;
  await deliver(world, [writer.receive(base + 99 * hour, { ...event, timestamp: new Date(base).toISOString() })]);
  await assembleAll(world);
  const { store, control, lease, touchedDays } = await takeLease(world);
  const clock = () => world.clock.now;
  const sealer = new Sealer({ store, control, lease, clock, logger: quietLogger, touchedDays, quietMs: 0 });
  while (await sealer.step()) {
    // Until nothing is left.
  }
  const select = vi.spyOn(store, 'select');
  await warmUp(...sourcesOf(world));
  const asked = select.mock.calls.map(([sql]) => /FROM (\w*cells)\b/.exec(sql)?.[1] ?? 'none');
  select.mockRestore();
  expect(new Set(asked)).toEqual(new Set(['narrow_cells', 'customer_cells', 'cells']));
  expect(asked.length).toBeLessThan(10);
});

test('a start goes on where its own questions cannot be answered', async () => {
  const [foundation, ...others] = sourcesOf(world);
  const select = vi.spyOn(world.store, 'select').mockRejectedValue(new Error('the store is away'));
  await warmUp(foundation, ...others);
  expect(select).toHaveBeenCalled();
  select.mockRestore();
  expect(foundation.logger.debug).toHaveBeenCalledOnce();
});
