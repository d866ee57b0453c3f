// An assembler is killed after each of its steps: the next assembler makes the same calls.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import '../support/provided.ts';
import { type AssemblyStep, assemblySteps } from '../../src/calls/assembly/batch.ts';
import { readWatermarks } from '../../src/calls/assembly/watermarks.ts';
import { Lease } from '../../src/storage/control/lease.ts';
import { someOf, usualOrLong } from '../support/effort.ts';
import { pathOfCli } from '../support/service.ts';
import type { Plan } from './assemble-once.ts';
import type { Json, LoggedEvent } from './model.ts';
import {
  assembleAll,
  at,
  base,
  deliver,
  expectedCalls,
  forgetWriters,
  hour,
  idsOf,
  newEventId,
  openWorld,
  outliveLease,
  readCalls,
  startEngineOfFile,
  type World,
  Writer,
} from './world.ts';

const engine = await startEngineOfFile();

const otherSteps = assemblySteps.filter((step) => step !== 'calls');

const full: Json = {
  event_type: 'llm.after',
  model: 'm-alpha',
  prompt_tokens: 1_000,
  completion_tokens: 100,
  tags: { customer: 'Ada', feature: 'search' },
};

/** What is assembled before the crash, and what the crash meets: new ids, late repetitions, and calls that change their day and month. */
function makeLog() {
  const [left, right] = [new Writer(), new Writer()];
  const [old = '', moved = '', fresh = '', used = '', started = ''] = Array.from({ length: 5 }, newEventId);
  const assembled = [
    left.receive(base, { ...full, event_id: old }),
    left.receive(base, { ...full, event_id: used }),
    left.receive(base + 50 * hour, { ...full, event_id: moved, timestamp: at(base + 45 * hour) }),
    left.receive(base + 50 * hour, { ...full, event_id: started, event_type: 'llm.before', model: 'm-beta' }),
  ];
  const now = base + 70 * hour;
  const left2 = [
    left.receive(now, { event_id: old, event_type: 'after', timestamp: at(now), completion_tokens: 7 }),
    left.receive(now, { event_id: used, event_type: 'error', error_type: 'timeout' }),
    left.receive(now + 1, { ...full, event_id: fresh }),
    left.receive(now + 2, { event_id: started, event_type: 'llm.after', completion_tokens: 3 }),
  ];
  const right2 = [
    right.receive(base + 49 * hour, { ...full, event_id: moved, timestamp: at(base + 60 * hour), model: 'm-beta' }),
    right.receive(now, { event_id: fresh, event_type: 'llm.after', tags: { note: 'later' } }),
    right.receive(now + 3, { event_id: newEventId(), event_type: 'after', cost: 0.25 }),
  ];
  return { assembled, met: [...left2, ...right2] };
}

describe.each(['sqlite', 'postgres'] as const)('with the control store in %s', (kind) => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld(engine, kind === 'postgres' ? inject('postgresUrl') : undefined);
  });

  afterAll(async () => {
    await world?.close();
  });

  /** Runs the program until it has killed itself. */
  async function crash(step: AssemblyStep): Promise<void> {
    const { url, username, password } = world.engine;
    const plan: Plan = {
      ...{ url, username, password, step },
      dataDir: world.dataDir,
      postgresUrl: world.postgresUrl,
      now: world.clock.now,
      holder: `crashes after ${step}`,
    };
    const program = join(dirname(pathOfCli()), 'assemble-once.js');
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, JSON.stringify(plan)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text;
    });
    const signal = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (_code, signal) => resolve(signal));
    });
    expect({ signal, complaints }).toEqual({ signal: 'SIGKILL', complaints: '' });
  }

  async function expectCalls(log: readonly LoggedEvent[]): Promise<void> {
    expect(await readCalls(world, idsOf(log))).toEqual(expectedCalls(world, log));
  }

  // The usual form tries the step after which calls are written and not counted, and one of the others.
  const usual: readonly AssemblyStep[] = kind === 'sqlite' ? ['calls'] : someOf(otherSteps, 1);

  test.each(usualOrLong(usual, assemblySteps))('killed after "%s", the calls come out right', async (step) => {
    await forgetWriters(world);
    const { assembled, met } = makeLog();
    const log = [...assembled, ...met];
    await deliver(world, assembled);
    await assembleAll(world);
    await expectCalls(assembled);

    await deliver(world, met);
    const before = await readWatermarks(world.control);
    outliveLease(world);
    await crash(step);

    // The crash was at the right step: the watermark has moved only after the last step.
    const after = await readWatermarks(world.control);
    expect(after.map(({ seq }, index) => seq > (before[index]?.seq ?? 0))).toEqual(
      step === 'watermark' ? [true, true] : [false, false],
    );
    const { version } = await world.control.selectFrom('lease').select('version').executeTakeFirstOrThrow();
    const written = await world.store.select<{ newest: string }>(
      'SELECT max(version) AS newest FROM calls WHERE project = {project:String} AND event_id IN {ids:Array(UUID)}',
      { project: world.projectId, ids: idsOf(log) },
    );
    const hasWritten = step === 'calls' || step === 'watermark';
    expect(Number(written[0]?.newest) === version).toBe(hasWritten);

    // The dead process can't give its lease back: it has to run out.
    const { control, clock } = world;
    const successor = new Lease({ control, clock: () => clock.now, holder: 'successor', exclusive: false });
    expect(await successor.acquire()).toBe(false);

    expect(await assembleAll(world)).toBe(step === 'watermark' ? 0 : 1);
    await expectCalls(log);

    // Assembles everything once more, from the first event.
    await control.updateTable('writers').set({ assembled_seq: 0, assembled_received_at: 0 }).execute();
    expect(await assembleAll(world)).toBe(1);
    await expectCalls(log);
  });
});
