// An entry of the audit log is there if and only if its change is, through kills (D34.3).
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, inject, test } from 'vitest';
import '../support/provided.ts';
import { type Entry, readLog } from '../api/D34-audit/support.ts';
import { connect, expectStatus, type Json, type Project } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { freePort } from '../support/ports.ts';
import { createDatabase } from '../support/postgres.ts';
import { makeMigratedDataDir, startEngine, startService } from '../support/service.ts';

const rounds = usualOrLong(1, 20);
const writers = 4;
/** The earliest kill after the first request, and the span of all kills, in milliseconds. */
const [firstKillMs, withinMs] = [100, 500];

/** Changes a budget and forty entries of revenue again and again, until the service is gone. Returns what was answered. */
async function changeUntilKilled(project: Project, writer: number): Promise<number> {
  for (let amount = 1; ; amount += 1) {
    const budget = { amount, period: 'month', thresholds: [80] };
    const entries = Array.from({ length: 40 }, (_, place) => ({
      ...{ external_id: `${writer}-${place}`, customer: `c-${place}`, amount, date_from: '2024-05-01' },
    }));
    const answers = [
      await project.api('PUT', `/api/budgets/b-${writer}/`, budget).catch(() => undefined),
      await project.api('POST', '/api/revenue/', { entries }).catch(() => undefined),
    ];
    if (answers.includes(undefined)) return amount;
    expect(answers.map((answer) => (answer?.status ?? 500) < 300)).toEqual([true, true]);
  }
}

/** The amounts that a subject's entries tell of, from the first: each change begins with what the one before left. */
function amountsOf(entries: readonly Entry[]): unknown[] {
  const chain = entries.toReversed().map(({ before, after }) => [before?.amount, after?.amount]);
  const amounts = [undefined, ...chain.map(([, after]) => after)];
  expect(chain.map(([before]) => before)).toEqual(amounts.slice(0, -1));
  return amounts.slice(1);
}

const listOf = (body: unknown, name: string): Json[] => Object(body)[name];

describe.each(['sqlite', 'postgres'] as const)('with the control store in %s', (kind) => {
  test(`D34.3: after ${rounds} kills amid changes, the log tells of those in force, each once, and of no other`, async () => {
    const dataDir = makeMigratedDataDir();
    // The log is of the control store alone, so the engine goes on.
    const engine = await startEngine({ dataDir: makeMigratedDataDir(), port: await freePort(), token: randomUUID() });
    const stores = {
      env: { FARTHING_CLICKHOUSE_URL: engine.url },
      ...(kind === 'postgres' && { postgresUrl: await createDatabase(inject('postgresUrl')) }),
    };
    let service = await startService({ dataDir, ...stores });
    try {
      for (let round = 0; round < rounds; round += 1) {
        const farthing = connect(service.url, service.adminToken);
        const project = await farthing.createProject();
        const changing = Array.from({ length: writers }, (_, writer) => changeUntilKilled(project, writer));
        await pause(firstKillMs + (withinMs * (round + 1)) / (rounds + 1));
        await service.kill();
        const reached = await Promise.all(changing);
        service = await startService({ dataDir, port: service.port, ...stores });

        const log = Map.groupBy(await readLog(project, 'limit=1000'), ({ kind, subject }) => `${kind} ${subject}`);
        const budgets = listOf(expectStatus(await project.api('GET', '/api/budgets/'), 200), 'budgets');
        const revenue = listOf(expectStatus(await project.api('GET', '/api/revenue/?limit=1000'), 200), 'rows');
        const inForce = [
          ...budgets.map(({ name, amount }) => [`budget ${name}`, amount] as const),
          ...revenue.map(({ external_id, amount }) => [`revenue_entry ${external_id}`, amount] as const),
        ];
        const told = [...log].filter(([subject]) => /^(budget|revenue_entry) /.test(subject));
        expect(told.map(([subject, entries]) => [subject, amountsOf(entries).at(-1)]).sort()).toEqual(inForce.sort());
        for (const [subject, entries] of told) {
          const amounts = amountsOf(entries);
          expect(amounts, subject).toEqual(amounts.map((_, at) => at + 1));
          const writer = Number(/[ -](\d+)(?:-\d+)?$/.exec(subject)?.[1]);
          // What was answered before the last request is in it.
          expect(amounts.length, subject).toBeGreaterThanOrEqual((reached[writer] ?? 0) - 1);
        }
      }
    } finally {
      await service.kill();
      await engine.kill();
      for (const folder of [dataDir, engine.dataDir]) rmSync(folder, { recursive: true, force: true });
    }
  });
});
