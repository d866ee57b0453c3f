// After any crash, hang or cut-off, no acknowledged event is lost, none counts twice, and no answer is wrong.
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { connect, costEvent } from '../support/client.ts';
import { longTest } from '../support/long-test.ts';
import { poll } from '../support/poll.ts';
import type { Deployment, Instance } from './deployment.ts';
import { Filling, work } from './work.ts';

const rounds = 54;
/** Of each round the first project asks the instance that it posts to; others go to any. */
const projectsARound = 6;

let deployment: Deployment;

const another = (instance: Instance): Instance => {
  const found = deployment.instances[(instance.index + 1) % deployment.instances.length];
  if (!found) throw new Error('there is another instance');
  return found;
};

/** Each breaks something, and has mended it when it is done; how long the lease was without a holder, in milliseconds. */
const faults: Record<string, () => Promise<number | undefined>> = {
  'the holder of the lease hangs and wakes after another took over': async () => {
    const holder = await deployment.holder();
    process.kill(holder.service.pid, 'SIGSTOP');
    try {
      const elapsedMs = await untilTakenOver(holder);
      await pause(Math.random() * 2_000);
      return elapsedMs;
    } finally {
      process.kill(holder.service.pid, 'SIGCONT');
    }
  },
  'everything is killed at once': async () => {
    await Promise.all(
      [...deployment.instances.map(({ service }) => service), deployment.engine].map((one) => one.kill()),
    );
    await Promise.all([deployment.reviveEngine(), deployment.postgres.restart()]);
    await Promise.all(deployment.instances.map((instance) => deployment.revive(instance)));
    return undefined;
  },
  'the holder of the lease is killed': async () => {
    const holder = await deployment.holder();
    await holder.service.kill();
    const elapsedMs = await untilTakenOver(holder);
    await deployment.revive(holder);
    return elapsedMs;
  },
  'PostgreSQL drops every connection': async () => {
    await deployment.postgres.dropConnections();
    await pause(200);
    await deployment.postgres.dropConnections();
    return undefined;
  },
  'the engine is killed': async () => {
    for (const pid of deployment.engine.childProcesses()) process.kill(pid, 'SIGKILL');
    await pause(500);
    return undefined;
  },
  'PostgreSQL crashes and comes back': async () => {
    await deployment.postgres.restart();
    return undefined;
  },
  'an instance without the lease is killed': async () => {
    const instance = another(await deployment.holder());
    await instance.service.kill();
    await deployment.revive(instance);
    return undefined;
  },
  'the engine and its supervisor are killed': async () => {
    await deployment.engine.kill();
    await deployment.reviveEngine();
    return undefined;
  },
  'the holder of the lease is stopped in good order': async () => {
    const holder = await deployment.holder();
    const stopping = holder.service.stop();
    const elapsedMs = await untilTakenOver(holder);
    expect((await stopping).code).toBe(0);
    await deployment.revive(holder);
    return elapsedMs;
  },
};

async function untilTakenOver(former: Instance): Promise<number> {
  const startedAt = performance.now();
  await deployment.holder(former);
  return performance.now() - startedAt;
}

/** Fills some projects while something breaks, and compares what every instance then answers with the model. */
async function playRound(round: number, fault: () => Promise<number | undefined>): Promise<void> {
  // A seed of its own for each round, so that a round can be done again.
  const works = fc.sample(work, { numRuns: projectsARound, seed: 1_000 + round });
  const fillings = await Promise.all(works.map((given) => Filling.begin(deployment, given)));
  const filling = fillings.map((each, index) => {
    const home = index === 0 ? deployment.instances[round % deployment.instances.length] : undefined;
    return each.fill({ ...(home && { home }), pauseMs: 1_000 });
  });
  const breaking = pause(200 + Math.random() * 300).then(fault);
  const [takeOverMs] = await Promise.all([breaking, ...filling]);
  for (const each of fillings) await each.compare();
  if (takeOverMs !== undefined) figures.takeOversMs.push(Math.round(takeOverMs));
  for (const each of fillings) {
    figures.projects += 1;
    figures.events += each.events;
    figures.refused += each.refusals.get('503') ?? 0;
    figures.unanswered += each.refusals.get('no answer') ?? 0;
  }
}

const figures = { rounds: 0, events: 0, projects: 0, refused: 0, unanswered: 0, takeOversMs: [] as number[] };

export function testFaults(running: () => Deployment): void {
  beforeAll(() => {
    deployment = running();
  });

  // Usually the test below, and tests/faults with one instance.
  longTest(
    'D3.2, D4.2, D4.7: instances, engine and PostgreSQL are killed, hung and cut off while events come in',
    {
      timeout: 60_000 + rounds * 60_000,
    },
    async () => {
      const kinds = Object.entries(faults);
      for (let round = 0; round < rounds; round += 1) {
        const [kind, fault] = kinds[round % kinds.length] ?? [];
        if (!kind || !fault) throw new Error('there is a fault');
        await playRound(round, fault).catch((cause: unknown) => {
          throw new Error(`round ${round}, ${kind}: ${String(cause)}\n${deployment.output()}`, { cause });
        });
        figures.rounds += 1;
      }
      process.stdout.write(`${JSON.stringify(figures)}\n`);
      for (const elapsedMs of figures.takeOversMs) expect(elapsedMs).toBeLessThan(15_000);
    },
  );

  test('D3.2, D4.7: when the holder of the lease hangs, another instance answers with all that was acknowledged within seconds, once it wakes too', async () => {
    const holder = await deployment.holder();
    const { url } = another(holder);
    const project = await connect(url, deployment.adminToken).createProject();
    const there = project.through(connect(holder.url, deployment.adminToken));
    const repeated = costEvent({ cost: 1 });
    await there.post(repeated);
    process.kill(holder.service.pid, 'SIGSTOP');
    try {
      await project.post(costEvent({ cost: 2 }), repeated);
      const cost = await poll('costs are answered', { within: 20_000 }, async () => {
        const answer = await project.postCosts({ date_from: '2024-05-15', date_to: '2024-05-15' });
        expect([200, 503], answer.text).toContain(answer.status);
        return answer.status === 200 ? answer.body : undefined;
      });
      expect(cost).toMatchObject({ rows: [{ cost: 3 }] });
    } finally {
      process.kill(holder.service.pid, 'SIGCONT');
    }
    await there.post(costEvent({ cost: 4 }), repeated);
    for (const each of [there, project]) {
      await poll('it answers with what each has acknowledged', { within: 20_000 }, async () => {
        const { status, body } = await each.postCosts({ date_from: '2024-05-15', date_to: '2024-05-15' });
        return status === 200 && Object(body).rows[0].cost === 7 ? true : undefined;
      });
    }
  });
}
