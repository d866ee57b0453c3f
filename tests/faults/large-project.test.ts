// An honest project with thousands of events a second beside a small one: both are answered, and nothing is refused.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { connect, type Project } from '../support/client.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';

const seconds = 60;
const eventsPerSecond = 6_000;
const batchOf = 500;
/** Wide: on two free cores both projects' answers take at most a second. In milliseconds, at the 99th percentile. */
const slowest = 5_000;
const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

let service: Service;
beforeAll(async () => {
  service = await startService({ dataDir: makeMigratedDataDir() });
});
afterAll(async () => await service?.kill());

const usage = z.object({ rows: z.array(z.object({ calls: z.number() })).length(1) });

/** What a project was told. */
class Told {
  readonly project: Project;
  readonly statuses = new Set<number>();
  readonly elapsedMs: number[] = [];
  acknowledged = 0;
  sent = 0;

  constructor(project: Project) {
    this.project = project;
  }

  async post(count: number): Promise<void> {
    this.sent += count;
    const { farthing, intakePath, secret } = this.project;
    const answer = await fetch(`${farthing.url}${intakePath}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(Array.from({ length: count }, (_, index) => makeEvent(index))),
    });
    await answer.arrayBuffer();
    this.statuses.add(answer.status);
    if (answer.status === 200) this.acknowledged += count;
  }

  /** Asks how many calls there are, which are all that were acknowledged before it asked. */
  async ask(): Promise<void> {
    const least = this.acknowledged;
    const askedAt = performance.now();
    const answer = await this.project.api('POST', '/api/usage/', { date_from: day, aggregate: 'all' });
    this.elapsedMs.push(performance.now() - askedAt);
    this.statuses.add(answer.status);
    if (answer.status !== 200) return;
    const calls = usage.parse(answer.body).rows[0]?.calls;
    expect(calls).toBeGreaterThanOrEqual(least);
    expect(calls).toBeLessThanOrEqual(this.sent);
  }

  get p99(): number {
    return this.elapsedMs.toSorted((a, b) => a - b)[Math.floor(0.99 * (this.elapsedMs.length - 1))] ?? Infinity;
  }
}

const makeEvent = (index: number) => ({
  ...{ event_id: randomUUID(), event_type: 'x.after', model: 'gpt-4o', provider: 'openai' },
  ...{ prompt_tokens: 100 + index, completion_tokens: 10, tags: { customer: `c${index % 50}`, feature: 'f' } },
});

test('a project with 6,000 events a second and a small one beside it are both answered, and none is refused', {
  timeout: 10_000 * seconds,
}, async () => {
  const farthing = connect(service.url, service.adminToken);
  const large = new Told(await farthing.createProject({ name: 'large' }));
  const small = new Told(await farthing.createProject({ name: 'small' }));
  const startedAt = performance.now();
  const until = startedAt + 1_000 * seconds;
  const again = async (everyMs: number, step: () => Promise<void>) => {
    while (performance.now() < until) {
      await step();
      await pause(everyMs);
    }
  };
  const flood = async () => {
    while (performance.now() < until) {
      await large.post(batchOf);
      const dueAt = startedAt + (1_000 * large.sent) / eventsPerSecond;
      await pause(Math.max(0, dueAt - performance.now()));
    }
  };
  await Promise.all([
    flood(),
    again(50, () => small.post(3)),
    ...[large, small].map((told) => again(100, () => told.ask())),
  ]);
  for (const told of [large, small]) await told.ask();

  const [ofLarge, ofSmall] = [large, small].map(({ p99 }) => Math.round(p99));
  process.stdout.write(
    `large project: ${Math.round(large.sent / seconds)} events a second, questions p99 ${ofLarge} ms, ${ofSmall} ms of the small one\n`,
  );
  for (const { statuses, acknowledged, sent, p99 } of [large, small]) {
    expect([...statuses]).toEqual([200]);
    expect(acknowledged).toBe(sent);
    expect(p99).toBeLessThan(slowest);
  }
  expect(large.sent).toBeGreaterThan((seconds * eventsPerSecond) / 2);
});
