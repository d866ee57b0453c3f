import { sql } from 'kysely';
import { z } from 'zod';
import type { OpenIdProvider } from '../../accounts/members/provider.ts';
import type { App } from '../../lib/http/app.ts';
import { timeField, toTimeOrNull } from '../../lib/times.ts';
import { readCatalogueInForce } from '../../pricing/catalogue-updates.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { readWaiting, type WaitingSources } from './waiting.ts';

export interface DiagnosisOptions extends WaitingSources {
  readonly store: AnalyticStore;
  /** Whether the control store is a server, with its own clock. */
  readonly isControlServer: boolean;
  /** Age of the oldest acknowledged event that is not in the calls, in milliseconds. */
  readonly assemblyLagMs: () => number;
  /** The OpenID provider that members sign in with. */
  readonly provider: Pick<OpenIdProvider, 'host' | 'findFault'> | undefined;
}

const count = z.number().int();
const seconds = z.number().describe('Seconds.');

const diagnosis = z.object({
  clickhouse: z.object({
    clock_skew_seconds: seconds.describe('How far its clock is ahead of the service.'),
    active_parts: count,
    most_parts_of_a_partition: count.describe('The engine slows inserts down at 1,000.'),
    detached_parts: count.describe('Parts that were set aside; `/readyz` says what is missing.'),
    free_bytes: z.number().describe('On its fullest disk.'),
    total_bytes: z.number(),
  }),
  control: z.object({ clock_skew_seconds: seconds.describe('0 where it is a file.') }),
  price_catalogue_since: timeField.nullable().describe('When the list prices in force came to this instance.'),
  assembly_lag_seconds: seconds.describe('Age of the oldest acknowledged event that is not in the calls.'),
  unsealed_days: count.describe('Days that are over and quiet but not rolled up.'),
  sealing_lag_seconds: seconds.describe('How long the first of them could have been rolled up, in seconds.'),
  waiting_rebuilds: count,
  waiting_erasures: count,
  waiting_purges: count,
  backups_under_way: count.describe('Deletions wait for them.'),
  sign_in: z
    .object({ provider: z.string(), fault: z.string().nullable().describe('Why members cannot sign in now.') })
    .nullable()
    .describe('The OpenID provider that members sign in with; null if they use links.'),
  provider_accounts: z.object({
    count,
    failing: z
      .array(z.object({ id: z.string(), project: z.string(), reason: z.string() }))
      .describe('Accounts whose last read failed, the newest fault first; the first 100.'),
  }),
});

export type Diagnosis = z.output<typeof diagnosis>;

const example: Diagnosis = {
  clickhouse: {
    clock_skew_seconds: 0.002,
    active_parts: 41,
    most_parts_of_a_partition: 12,
    detached_parts: 0,
    free_bytes: 51_539_607_552,
    total_bytes: 107_374_182_400,
  },
  control: { clock_skew_seconds: 0 },
  price_catalogue_since: '2026-11-21T05:26:29.966Z',
  assembly_lag_seconds: 0.04,
  unsealed_days: 0,
  sealing_lag_seconds: 0,
  waiting_rebuilds: 0,
  waiting_erasures: 0,
  waiting_purges: 0,
  backups_under_way: 0,
  sign_in: { provider: 'accounts.google.com', fault: null },
  provider_accounts: { count: 1, failing: [] },
};

const mostFailing = 100;

/** `GET /admin/diagnosis/`: what `farthing doctor` judges (D13.2). */
export function registerDiagnosis(app: App, options: DiagnosisOptions): void {
  app.get('/admin/diagnosis/', {
    config: { access: 'admin' },
    schema: {
      summary: 'The state of the instance and its stores',
      description: 'Figures that farthing doctor judges: parts, disk space, clocks, and waiting work.',
      tags: ['Admin'],
      response: { 200: diagnosis.meta({ description: 'The figures.', examples: [example] }) },
    },
    handler: async () => {
      const { store, control, isControlServer, clock, assemblyLagMs, provider } = options;
      const storeSkewMs = await measureSkew(clock, async () => {
        const [row] = await store.select<{ now: string }>('SELECT toUnixTimestamp64Milli(now64(3)) AS now');
        return Number(row?.now);
      });
      const controlSkewMs = isControlServer
        ? await measureSkew(clock, async () => {
            const { rows } = await sql<{
              now: number;
            }>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`.execute(control);
            return Number(rows[0]?.now);
          })
        : 0;
      const [parts] = await store.select<{ active: string; most: string }>(
        `SELECT sum(parts) AS active, max(parts) AS most FROM (
          SELECT count() AS parts FROM system.parts WHERE active AND database = currentDatabase() GROUP BY hostName(), table, partition_id
        )`,
      );
      const [detached] = await store.select<{ parts: string }>(
        'SELECT count() AS parts FROM system.detached_parts WHERE database = currentDatabase()',
      );
      const [disk] = await store.select<{ free: string; total: string }>(
        'SELECT free_space AS free, total_space AS total FROM system.disks ORDER BY free_space LIMIT 1',
      );
      const { hash, fetchedAt } = await readCatalogueInForce(control);
      const stored = await control
        .selectFrom('price_data')
        .select('created_at')
        .where('hash', '=', hash)
        .executeTakeFirst();
      const waiting = await readWaiting(options);
      const accounts = control.selectFrom('provider_accounts');
      const { accounts: accountCount } = await accounts
        .select((row) => row.fn.countAll<number | string | bigint>().as('accounts'))
        .executeTakeFirstOrThrow();
      const failing = await accounts
        .select(['id', 'project_id as project', 'fault'])
        .where('fault_at', 'is not', null)
        .orderBy('fault_at', 'desc')
        .limit(mostFailing)
        .execute();
      return {
        clickhouse: {
          clock_skew_seconds: storeSkewMs / 1_000,
          active_parts: Number(parts?.active ?? 0),
          most_parts_of_a_partition: Number(parts?.most ?? 0),
          detached_parts: Number(detached?.parts ?? 0),
          free_bytes: Number(disk?.free ?? 0),
          total_bytes: Number(disk?.total ?? 0),
        },
        control: { clock_skew_seconds: controlSkewMs / 1_000 },
        price_catalogue_since: toTimeOrNull(fetchedAt ?? stored?.created_at ?? null),
        assembly_lag_seconds: assemblyLagMs() / 1_000,
        unsealed_days: waiting.unsealedDays,
        sealing_lag_seconds: waiting.sealingLagMs / 1_000,
        waiting_rebuilds: waiting.rebuilds,
        waiting_erasures: waiting.erasures,
        waiting_purges: waiting.purges,
        backups_under_way: waiting.backups,
        sign_in: provider ? { provider: provider.host, fault: (await provider.findFault()) ?? null } : null,
        provider_accounts: {
          count: Number(accountCount),
          failing: failing.map(({ fault, ...account }) => ({ ...account, reason: fault ?? '' })),
        },
      };
    },
  });
}

/** How far another clock is ahead, in milliseconds, compared with the middle of the request. */
async function measureSkew(clock: () => number, read: () => Promise<number>): Promise<number> {
  const before = clock();
  const other = await read();
  return Math.round(other - (before + clock()) / 2);
}
