// A ClickHouse or PostgreSQL server that is slow, gone, silent, cut off or answers with errors, and comes back.
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startEmbeddedEngine } from '../../src/storage/analytic/embedded/engine.ts';
import { connect } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { createDatabase, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { makeMigratedDataDir, startService } from '../support/service.ts';
import { Link, type LinkState } from './link.ts';
import { untilSays, untilWell } from './ready.ts';
import { countRounds, timeoutOf, tryRounds } from './rounds.ts';
import { type OtherWork, otherWork, Workload } from './workload.ts';

const clickhouseRounds = countRounds(1);
const postgresRounds = countRounds(1);
/** How often a store breaks in a round. */
const mostBreaks = usualOrLong(1, 3);
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const cut = fc.integer({ min: 1, max: 3_000 }).map((afterBytes): LinkState => ({ kind: 'cut', afterBytes }));
const slow = fc.integer({ min: 20, max: 700 }).map((delayMs): LinkState => ({ kind: 'slow', delayMs }));
const gone = fc.constant<LinkState>({ kind: 'gone' });
const mute = fc.constant<LinkState>({ kind: 'silent' });
const refused = fc.constantFrom(500, 502, 503).map((status): LinkState => ({ kind: 'refused', status }));

const roundOf = (...states: fc.Arbitrary<LinkState>[]) =>
  fc.record({
    // Tags are written to the control store, and read for answers.
    work: usualOrLong<fc.Arbitrary<OtherWork[]>>(fc.constant(['tags']), fc.subarray([...otherWork])),
    breaks: fc.array(
      fc.record({
        state: fc.oneof(...states),
        afterMs: fc.integer({ min: 20, max: 700 }),
        lastsMs: fc.integer({ min: 50, max: usualOrLong(1_000, 3_000) }),
        /** Usually tests/faults/kills kills the service. */
        kill: fc.constantFrom('never', ...usualOrLong([], ['never', 'never', 'when it is back'] as const)),
      }),
      { minLength: 1, maxLength: mostBreaks },
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
  const ofServer = ['its connections dropped', 'crashed'] as const;
  const ends = fc.record({
    place: fc.constantFrom('the link', ...usualOrLong([], ['the link'] as const), ...ofServer),
    // A silent server is noticed after a minute.
    round: roundOf(cut, slow, gone, ...usualOrLong([], [mute])),
  });
  try {
    await tryRounds('postgres', postgresRounds, ends, async ({ place, round }, tried) => {
      const workload = await Workload.begin(await connect(service.url, service.adminToken).createProject(), round.work);
      for (const { state, afterMs, lastsMs, kill } of round.breaks) {
        await pause(afterMs);
        if (place === 'the link') {
          await link.become(state);
          await pause(lastsMs);
          if (state.kind === 'gone' || state.kind === 'silent') {
            await untilSays(service, 'PostgreSQL is gone', ({ ok, checks }) => !ok && checks.control === 'unreachable');
          }
          await link.become({ kind: 'well' });
          tried(`PostgreSQL ${state.kind}`);
        } else {
          if (place === 'crashed') await server.restart();
          else await dropOften(server);
          tried(`PostgreSQL ${place}`);
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

/** Drops all connections again and again, so that some are in the middle of a statement. */
async function dropOften(server: PostgresServer): Promise<void> {
  for (let time = 0; time < 15; time += 1) {
    await server.dropConnections();
    await pause(20);
  }
}
