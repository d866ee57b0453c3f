// A ClickHouse or PostgreSQL server that is slow, gone, silent, cut off or answers with errors, and comes back.
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startEmbeddedEngine } from '../../src/clickhouse/embedded/engine.ts';
import { connect } from '../support/client.ts';
import { createDatabase, startPostgres } from '../support/postgres.ts';
import { makeMigratedDataDir, startService } from '../support/service.ts';
import { Link, type LinkState } from './link.ts';
import { untilSays, untilWell } from './ready.ts';
import { countRounds, timeoutOf, tryRounds } from './rounds.ts';
import { otherWork, Workload } from './workload.ts';

const clickhouseRounds = countRounds(1);
const postgresRounds = countRounds(1);
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const cut = fc.integer({ min: 1, max: 3_000 }).map((afterBytes): LinkState => ({ kind: 'cut', afterBytes }));
const slow = fc.integer({ min: 20, max: 700 }).map((delayMs): LinkState => ({ kind: 'slow', delayMs }));
const gone = fc.constant<LinkState>({ kind: 'gone' });
const mute = fc.constant<LinkState>({ kind: 'silent' });
const refused = fc.constantFrom(500, 502, 503).map((status): LinkState => ({ kind: 'refused', status }));

const roundOf = (...states: fc.Arbitrary<LinkState>[]) =>
  fc.record({
    work: fc.subarray([...otherWork]),
    breaks: fc.array(
      fc.record({
        state: fc.oneof(...states),
        afterMs: fc.integer({ min: 20, max: 700 }),
        lastsMs: fc.integer({ min: 50, max: 3_000 }),
        /** The service is killed meanwhile, or when the store is back. */
        kill: fc.constantFrom('never', 'never', 'never', 'when it is back'),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  });

const unreachable: ReadonlySet<LinkState['kind']> = new Set(['gone', 'silent', 'refused']);

test('D3.7, D4.7, D11.2: a ClickHouse server that fails in any way is waited for, and no answer is wrong', {
  timeout: timeoutOf(clickhouseRounds),
}, async () => {
  const engine = await startEmbeddedEngine({ dataDir: makeMigratedDataDir(), logger: silent });
  const link = await Link.open(engine.url);
  const options = {
    dataDir: makeMigratedDataDir(),
    env: {
      FARTHING_CLICKHOUSE_URL: `http://${engine.username}:${engine.password}@127.0.0.1:${link.port}`,
      FARTHING_SEAL_AFTER_SECONDS: '0',
    },
  };
  let service = await startService(options);
  try {
    await tryRounds('clickhouse', clickhouseRounds, roundOf(cut, slow, gone, mute, refused), async (round, tried) => {
      const workload = await Workload.begin(await connect(service.url, service.adminToken).createProject(), round.work);
      for (const { state, afterMs, lastsMs, kill } of round.breaks) {
        await pause(afterMs);
        await link.become(state);
        await pause(lastsMs);
        if (unreachable.has(state.kind)) {
          await untilSays(
            service,
            'ClickHouse is gone',
            ({ ok, checks }) => !ok && checks.clickhouse === 'unreachable',
          );
        }
        await link.become({ kind: 'well' });
        if (kill === 'when it is back') {
          await service.kill();
          service = await startService({ ...options, port: service.port });
          tried('ClickHouse back and the service killed');
        }
        tried(`ClickHouse ${state.kind}`);
      }
      await untilWell(service);
      await workload.finish();
    });
    expect((await service.stop()).code).toBe(0);
  } finally {
    await service.kill();
    await link.close();
    await engine.close();
  }
});

test('D3.7, D11.2: a PostgreSQL server that goes away, hangs or crashes is waited for, and no answer is wrong', {
  timeout: timeoutOf(postgresRounds),
}, async () => {
  const server = await startPostgres();
  const database = new URL(await createDatabase(server.url));
  const link = await Link.open(database.href);
  database.port = String(link.port);
  const options = {
    dataDir: makeMigratedDataDir(),
    postgresUrl: database.href,
    env: { FARTHING_SEAL_AFTER_SECONDS: '0' },
  };
  let service = await startService(options);
  const ends = fc.record({
    server: fc.constantFrom('the link', 'the link', 'its connections dropped', 'crashed'),
    round: roundOf(cut, slow, gone, mute),
  });
  try {
    await tryRounds('postgres', postgresRounds, ends, async ({ server: broken, round }, tried) => {
      const workload = await Workload.begin(await connect(service.url, service.adminToken).createProject(), round.work);
      for (const { state, afterMs, lastsMs, kill } of round.breaks) {
        await pause(afterMs);
        if (broken === 'the link') {
          await link.become(state);
          await pause(lastsMs);
          if (state.kind === 'gone' || state.kind === 'silent') {
            await untilSays(service, 'PostgreSQL is gone', ({ ok, checks }) => !ok && checks.control === 'unreachable');
          }
          await link.become({ kind: 'well' });
          tried(`PostgreSQL ${state.kind}`);
        } else {
          await (broken === 'crashed' ? server.restart() : server.dropConnections());
          tried(`PostgreSQL ${broken}`);
        }
        if (kill === 'when it is back') {
          await service.kill();
          service = await startService({ ...options, port: service.port });
          tried('PostgreSQL back and the service killed');
        }
      }
      await untilWell(service);
      await workload.finish();
    });
    expect((await service.stop()).code).toBe(0);
  } finally {
    await service.kill();
    await link.close();
    await server.stop();
  }
});
