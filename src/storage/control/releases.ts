import type { Kysely } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import { version } from '../../lib/version.ts';
import type { ControlSchema } from './schema/schema.ts';

/** The service refuses to start: a newer release has changed a store, and this one can't read the change. */
export class NewerRelease extends Error {
  override readonly name = 'NewerRelease';
  readonly code = 'newer_release';

  /** @param migrations the migrations that this release does not know */
  constructor(release: string | undefined, migrations: readonly string[]) {
    // A release killed right after its migrations has not noted its name.
    const newer = release === undefined || release === version ? 'a newer release' : `Farthing ${release}`;
    super(
      `The data was last upgraded by ${newer}. This is Farthing ${version}, which does not know these changes: ${migrations.join(', ')}. Nothing was touched. Start ${newer}; to go back, restore a backup made before the upgrade.`,
    );
  }
}

/** @throws NewerRelease when the control store has a migration that is not among the known ones */
export async function refuseNewerControlStore(control: Kysely<ControlSchema>, known: readonly string[]): Promise<void> {
  const tables = await control.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return;
  const applied = await control
    .withTables<{ [DEFAULT_MIGRATION_TABLE]: { name: string } }>()
    .selectFrom(DEFAULT_MIGRATION_TABLE)
    .select('name')
    .orderBy('name')
    .execute();
  const unknown = applied.map(({ name }) => name).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new NewerRelease(await readNewestRelease(control), unknown);
}

/** The release whose first start on the stores is the latest. */
export async function readNewestRelease(control: Kysely<ControlSchema>): Promise<string | undefined> {
  const row = await control
    .selectFrom('releases')
    .select('version')
    .orderBy('first_started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.version;
}

/** Notes that this release has started on the stores; only its first start counts. */
export async function noteRelease(control: Kysely<ControlSchema>, now: number): Promise<void> {
  await control
    .insertInto('releases')
    .values({ version, first_started_at: now })
    .onConflict((conflict) => conflict.column('version').doNothing())
    .execute();
}
