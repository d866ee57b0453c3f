// Two assemblers over one log: one that lost the lease while it was paused leaves nothing that counts.
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import '../support/provided.ts';
import { type AssemblyStep, assemblySteps, type BatchOptions } from '../../src/calls/assembly/batch.ts';
import { LeaseLost } from '../../src/storage/control/lease.ts';
import { someOf, usualOrLong } from '../support/effort.ts';
import { assembleBatch } from './assemble-batch.ts';
import type { Json, LoggedEvent } from './model.ts';
import {
  type AssemblerSettings,
  assembleAll,
  at,
  base,
  deliver,
  expectedCalls,
  forgetWriters,
  hour,
  idsOf,
  makeAssembler,
  newEventId,
  openWorld,
  outliveLease,
  readCalls,
  startEngineOfFile,
  type World,
  Writer,
} from './world.ts';

/** An assembler that goes on by one step at a time. */
class Paced {
  readonly #options: BatchOptions;
  #batch: Promise<void> | undefined;
  #reached: ((step: AssemblyStep | 'end') => void) | undefined;
  #goOn: (() => void) | undefined;
  /** The error of the last batch, if it failed. */
  error: unknown;

  constructor(world: World, settings: AssemblerSettings = {}) {
    this.#options = makeAssembler(world, {
      ...settings,
      afterStep: async (step) => {
        const resumed = new Promise<void>((resolve) => {
          this.#goOn = resolve;
        });
        this.#reached?.(step);
        await resumed;
      },
    });
  }

  get lease() {
    return this.#options.lease;
  }

  get isUnderWay(): boolean {
    return this.#batch !== undefined;
  }

  /** Begins a batch, or goes on with it, up to the next step; `end` when the batch is over, whether it failed or not. */
  async step(): Promise<AssemblyStep | 'end'> {
    const reached = new Promise<AssemblyStep | 'end'>((resolve) => {
      this.#reached = resolve;
    });
    if (this.#batch) this.#goOn?.();
    else this.#batch = this.#run();
    return await reached;
  }

  async stepTo(wanted: AssemblyStep | 'end'): Promise<void> {
    for (;;) {
      const reached = await this.step();
      if (reached === wanted) return;
      if (reached === 'end') throw new Error(`the batch is over before "${wanted}": ${String(this.error)}`);
    }
  }

  async #run(): Promise<void> {
    this.error = undefined;
    try {
      await assembleBatch(this.#options);
    } catch (error) {
      this.error = error;
    }
    this.#batch = undefined;
    this.#reached?.('end');
  }
}

const engine = await startEngineOfFile();

/** In the usual form a server, which rivals share. */
const controlStores = usualOrLong<readonly ('sqlite' | 'postgres')[]>(['postgres'], ['sqlite', 'postgres']);

describe.each(controlStores)('with the control store in %s', (kind) => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld(engine, kind === 'postgres' ? inject('postgresUrl') : undefined);
  });

  afterAll(async () => {
    await world?.close();
  });

  beforeEach(async () => {
    await forgetWriters(world);
  });

  async function expectCalls(log: readonly LoggedEvent[]): Promise<void> {
    expect(await readCalls(world, idsOf(log))).toEqual(expectedCalls(world, log));
  }

  const full: Json = {
    model: 'm-alpha',
    provider: 'acme',
    prompt_tokens: 100,
    tags: { customer: 'Ada', note: 'first' },
  };

  /** What is there at first, what comes while one is paused, and what comes after the other has finished: of the same calls. */
  function makeLog() {
    const [left, right, last] = [new Writer(), new Writer(), new Writer()];
    const ids = Array.from({ length: 4 }, newEventId);
    const [moved] = ids;
    const now = base + 10 * hour;
    const first = ids.map((id) => left.receive(now, { ...full, event_id: id, event_type: 'llm.error' }));
    const more = [
      // Received before, on another day, in another month.
      right.receive(now - hour, { event_id: moved, event_type: 'after', timestamp: at(base - 40 * 24 * hour) }),
      ...ids.map((id, index) =>
        right.receive(now + 1, {
          event_id: id,
          event_type: 'llm.after',
          model: 'm-beta',
          prompt_tokens: 200 + index,
          tags: { note: 'second' },
        }),
      ),
    ];
    const rest = ids.map((id) =>
      last.receive(now + 2 * hour, {
        event_id: id,
        event_type: 'after',
        completion_tokens: 9,
        tags: { more: 'third' },
      }),
    );
    return { first, more, rest };
  }

  test.each(someOf(assemblySteps, 1))(
    'one that was paused after "%s" while another took over leaves nothing that counts',
    async (step) => {
      const { first, more, rest } = makeLog();
      const paused = new Paced(world);
      outliveLease(world);
      await deliver(world, first);
      expect(await paused.lease.acquire()).toBe(true);
      await paused.stepTo(step);

      await deliver(world, more);
      expect(await assembleAll(world)).toBe(1);
      await expectCalls([...first, ...more]);

      await paused.stepTo('end');
      // After the last step the batch was done; before, all of it must be thrown away.
      if (step === 'watermark') {
        expect(paused.error).toBeUndefined();
        await paused.stepTo('end');
      }
      expect(paused.error).toBeInstanceOf(LeaseLost);
      expect(paused.lease.isHeld).toBe(false);
      await expectCalls([...first, ...more]);

      await deliver(world, rest);
      await assembleAll(world);
      await expectCalls([...first, ...more, ...rest]);
    },
  );

  test.each(someOf(assemblySteps, 1))(
    'one that was paused after "%s" may read what the other has not read, and still not count',
    async (step) => {
      const { first, more, rest } = makeLog();
      const paused = new Paced(world);
      outliveLease(world);
      await deliver(world, first);
      await paused.lease.acquire();
      await paused.stepTo(step);

      await deliver(world, more);
      await assembleAll(world);
      await deliver(world, rest);
      await paused.stepTo('end');
      expect(paused.error === undefined).toBe(step === 'watermark');

      expect(await assembleAll(world)).toBe(1);
      await expectCalls([...first, ...more, ...rest]);
    },
  );

  test('any interleaving of two, with leases that run out at any time, ends with the same calls', async () => {
    const action = fc.constantFrom('left', 'left', 'right', 'right', 'deliver', 'expire');
    const interleaving = fc.record({
      actions: fc.array(action, { minLength: 25, maxLength: usualOrLong(35, 50) }),
      maxEvents: fc.integer({ min: 1, max: 6 }),
    });
    // The lease runs out within a batch of the one, and the other takes it.
    const losing: ('left' | 'right' | 'deliver' | 'expire')[] = [
      ...(['left', 'left', 'expire', 'right', 'right'] as const),
      ...Array.from({ length: 10 }, () => 'left' as const),
    ];
    let lost = 0;
    await fc.assert(
      fc.asyncProperty(interleaving, async ({ actions, maxEvents }) => {
        await forgetWriters(world);
        outliveLease(world);
        const { first, more, rest } = makeLog();
        const log = [...first, ...more, ...rest];
        const queue = [
          first.slice(0, 2),
          more.slice(0, 3),
          first.slice(2),
          rest.slice(0, 1),
          more.slice(3),
          rest.slice(1),
        ];
        const rivals = { left: new Paced(world, { maxEvents }), right: new Paced(world, { maxEvents }) };
        await deliver(world, queue.shift() ?? []);
        for (const name of actions) {
          if (name === 'expire') outliveLease(world);
          else if (name === 'deliver') await deliver(world, queue.shift() ?? []);
          else {
            const rival = rivals[name];
            if (rival.isUnderWay || rival.lease.isHeld || (await rival.lease.acquire())) await rival.step();
            if (rival.error instanceof LeaseLost) lost += 1;
            else expect(rival.error).toBeUndefined();
          }
        }
        await deliver(world, queue.flat());
        await assembleAll(world, { maxEvents });
        // Assemblers paused within a batch wake up when all is done.
        for (const rival of Object.values(rivals)) {
          if (rival.isUnderWay) await rival.stepTo('end');
        }
        await assembleAll(world);
        await expectCalls(log);
      }),
      { numRuns: usualOrLong(2, 21), examples: [[{ actions: losing, maxEvents: 2 }]] },
    );
    // Without leases lost within batches the test proves nothing.
    expect(lost).toBeGreaterThan(0);
  });
});
