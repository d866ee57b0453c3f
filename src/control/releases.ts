import type { Kysely } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import { version } from '../lib/version.ts';
import type { ControlSchema } from './schema.ts';

/** A start refused because a newer release has changed a store: this one can't know what is in it. */
export class NewerRelease extends Error {
  override readonly name = 'NewerRelease';
  readonly code = 'newer_release';

  /** @param migrations those that this release does not know */
  constructor(release: string | undefined, migrations: readonly string[]) {
    // A release that was killed right after its migrations has not left its name.
    const newer = release === undefined || release === version ? 'a newer release' : `Farthing ${release}`;
    super(
      `The data was last upgraded by ${newer}, and this is Farthing ${version}, which does not know what that has changed (${migrations.join(', ')}). Nothing was touched. Start ${newer}; to go back, restore a backup that was made before the upgrade.`,
    );
  }
}

/** @throws NewerRelease when the control store has had a migration that is not among the known ones */
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
  const hasReleases = tables.some(({ name }) => name === 'releases');
  throw new NewerRelease(hasReleases ? await readNewestRelease(control) : undefined, unknown);
}

/** The release that was the last to start on the stores for the first time. */
export async function readNewestRelease(control: Kysely<ControlSchema>): Promise<string | undefined> {
  const row = await control
    .selectFrom('releases')
    .select('version')
    .orderBy('first_started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.version;
}

/** Notes that this release has started on the stores. */
export async function noteRelease(control: Kysely<ControlSchema>, now: number): Promise<void> {
  await control
    .insertInto('releases')
    .values({ version, first_started_at: now })
    .onConflict((conflict) => conflict.column('version').doNothing())
    .execute();
}
