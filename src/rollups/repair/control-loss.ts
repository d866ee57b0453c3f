import { touchDaysOf } from '../../calls/days.ts';
import { firstCopy } from '../../calls/pins/copies.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import { sealsPerVersion } from '../rollups/seal-numbers.ts';
import { orderRebuilds } from './ordered-rebuilds.ts';

export interface ControlLossSources {
  readonly store: Pick<AnalyticStore, 'select'>;
  readonly control: ControlStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The time limit of one query, in milliseconds. */
const withinMs = 60_000;

/**
 * Detects that the embedded control store has lost its last changes, for example because its write-ahead log was cut
 * off. It then registers unknown writers, so that their events are assembled. It raises the version, which orders the
 * rows of a call, above all versions in use. It requests new rollups of all days, and queues a rebuild of all calls.
 *
 * It can't detect lost changes of projects, keys, tags, prices and revenue. It runs at start, before any answer, in one
 * transaction.
 * @returns warnings for the operator; none when nothing was lost
 */
export async function repairControlLoss({
  store,
  control,
  clock,
  logger,
}: ControlLossSources): Promise<readonly string[]> {
  // The control store is written before the log and the calls. So if these are ahead of it, it has lost changes.
  const [given] = await store.select<{ version: string; generation: string }>(
    `SELECT greatest(
        (SELECT max(version) FROM calls), (SELECT intDiv(max(seal), ${sealsPerVersion}) FROM narrow_cells),
        (SELECT max(version) FROM event_contents)
      ) AS version, greatest((SELECT maxIf(generation, generation < ${firstCopy}) FROM calls), (SELECT max(generation) FROM event_contents)) AS generation`,
    {},
    withinMs,
  );
  const lease = await control.selectFrom('lease').select('version').executeTakeFirstOrThrow();
  const writers = await control.selectFrom('writers').select(['id', 'last_seen_at']).execute();
  const knownAt = Math.max(0, ...writers.map((writer) => writer.last_seen_at));
  const recent = await store.select<{ writer: string; first_seq: string; first: string; last: string }>(
    `SELECT toString(writer) AS writer, min(seq) AS first_seq, toUnixTimestamp64Milli(min(received_at)) AS first,
        toUnixTimestamp64Milli(max(received_at)) AS last
      FROM events WHERE received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') GROUP BY writer`,
    { since: knownAt },
    withinMs,
  );
  const known = new Set(writers.map(({ id }) => id));
  const unknown = recent.filter(({ writer }) => !known.has(writer));
  const version = Number(given?.version ?? 0);
  const isBehind = version > lease.version;
  if (!isBehind && unknown.length === 0) return [];

  const now = clock();
  await control.transaction().execute(async (transaction) => {
    for (const { writer, first_seq: firstSeq, first, last } of unknown) {
      await transaction
        .insertInto('writers')
        .values({
          id: writer,
          started_at: Number(first),
          last_seen_at: Number(last),
          assembled_seq: Number(firstSeq) - 1,
          assembled_received_at: 0,
          stored_seq: null,
        })
        .execute();
    }
    if (!isBehind) return;
    await transaction
      .updateTable('lease')
      .set({ version: version + 1 })
      .execute();
    await touchDaysOf(transaction, '', now);
    await orderRebuilds(transaction, { now, after: Number(given?.generation ?? 0) });
  });
  // If the clock was set back, all events of such a writer may be assembled. Assembling them again changes nothing.
  logger.warn({ writers: unknown.map(({ writer }) => writer) }, 'events of unknown writers are assembled');
  if (!isBehind) return [];
  const since = new Date(knownAt).toISOString();
  const warning =
    `the control store has lost its last changes, from ${since} on: set again what was changed since in projects, keys, tags, prices, ` +
    'credits and revenue; all calls are rebuilt from the events, and answers wait for that';
  logger.error({ versions: version - lease.version, writers: unknown.length, since }, warning);
  return [warning];
}
