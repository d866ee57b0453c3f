import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createDatabase, startPostgres } from '../tests/support/postgres.ts';
import { type Measured, runLoad } from './load.ts';
import { makeEvent } from './made-calls.ts';
import { startEngine, startService, stopProcess } from './start-service.ts';

/**
 * Measures how many events a second three instances store durably, beside one on the same machine: two deployments, each with
 * an engine and a database of its own, get the same load alternately. Each has assembled its events before the next turn.
 *
 *   node bin/runtime.js bench/instances.ts --seconds 8 --rounds 5
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '768' },
  },
});
const adminToken = randomUUID();
const dir = mkdtempSync(join(tmpdir(), 'farthing-instances-'));
const processes: ChildProcess[] = [];

interface Deployment {
  readonly name: string;
  readonly ports: readonly number[];
  readonly path: string;
  readonly secret: string;
}

async function deploy(name: string, instances: number, databaseUrl: string): Promise<Deployment> {
  const engine = await startEngine(join(dir, name, 'engine'));
  processes.push(engine.process);
  const env = { FARTHING_CLICKHOUSE_URL: engine.url, FARTHING_POSTGRES_URL: databaseUrl };
  const ports: number[] = [];
  for (let index = 0; index < instances; index += 1) {
    const service = await startService(join(dir, name, String(index)), { adminToken, env });
    processes.push(service.process);
    ports.push(Number(new URL(service.url).port));
  }
  const admin = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${ports[0]}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const project = await admin('/admin/projects/', { name: 'Bench' });
  const client = await admin(`/admin/projects/${project.id}/clients/`, { name: 'bench' });
  return { name, ports, path: `/intake/${client.client_id}/`, secret: client.secret ?? '' };
}

interface Load {
  readonly name: string;
  readonly events: number;
  readonly connections: number;
}

/** Puts load on a deployment, with the same number of connections to each of its instances. */
async function give({ ports, path, secret }: Deployment, { events, connections }: Load): Promise<Measured> {
  const bodies = Array.from({ length: 16 }, () =>
    JSON.stringify(events === 1 ? makeEvent() : Array.from({ length: events }, makeEvent)),
  );
  const measured = await Promise.all(
    ports.map((port) =>
      runLoad({
        host: '127.0.0.1',
        port,
        path,
        token: secret,
        connections: connections / ports.length,
        seconds: Number(values.seconds),
        bodies,
      }),
    ),
  );
  const sum = (of: (one: Measured) => number) => measured.reduce((total, one) => total + of(one), 0);
  return {
    perSecond: events * sum((one) => one.perSecond),
    p50Ms: sum((one) => one.p50Ms) / ports.length,
    p99Ms: Math.max(...measured.map((one) => one.p99Ms)),
    failures: sum((one) => one.failures),
  };
}

/** Waits until all acknowledged events are in the calls; returns how long that took, in milliseconds. */
async function settle({ ports }: Deployment): Promise<number> {
  const startedAt = performance.now();
  for (const port of ports) {
    for (;;) {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      if (/^farthing_assembly_lag_seconds 0$/m.test(text)) break;
      await pause(50);
    }
  }
  return performance.now() - startedAt;
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
const count = (number: number): string => Math.round(number).toLocaleString('en');

const postgres = await startPostgres();
try {
  const one = await deploy('one instance', 1, await createDatabase(postgres.url));
  const three = await deploy('three instances', 3, await createDatabase(postgres.url));
  console.log(
    '| Load | one, events a second | three, events a second | ratio | ratio of each round | p50 ms | p99 ms | assembled after s |',
  );
  console.log('|---|---|---|---|---|---|---|---|');
  for (const load of [
    { name: `single events, ${values.connections} connections`, events: 1, connections: Number(values.connections) },
    { name: 'requests of 500, 9 connections', events: 500, connections: 9 },
  ]) {
    const rounds: { readonly measured: Measured; readonly settledMs: number }[][] = [[], []];
    // Round 0 warms up.
    for (let round = 0; round <= Number(values.rounds); round += 1) {
      for (const [index, deployment] of [one, three].entries()) {
        const measured = await give(deployment, load);
        if (measured.failures > 0) throw new Error(`${measured.failures} requests to ${deployment.name} were refused`);
        const settledMs = await settle(deployment);
        if (round > 0) rounds[index]?.push({ measured, settledMs });
      }
    }
    const [ofOne = [], ofThree = []] = rounds;
    const ratios = ofThree.map(({ measured }, round) => measured.perSecond / (ofOne[round]?.measured.perSecond ?? 0));
    const both = (of: (round: (typeof ofOne)[number]) => number, digits = 0) =>
      [ofOne, ofThree].map((each) => median(each.map(of)).toFixed(digits)).join(' and ');
    console.log(
      `| ${load.name} | ${[ofOne, ofThree].map((each) => count(median(each.map(({ measured }) => measured.perSecond)))).join(' | ')} | ${median(ratios).toFixed(2)} | ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')} | ${both(({ measured }) => measured.p50Ms)} | ${both(({ measured }) => measured.p99Ms)} | ${both(({ settledMs }) => settledMs / 1_000, 1)} |`,
    );
  }
  console.log(`\n${cpus().length} cores, ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`);
} finally {
  for (const child of processes.toReversed()) await stopProcess(child);
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
}
