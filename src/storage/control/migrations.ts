import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { postgresChanges } from './audit/capture.ts';
import type { ControlSchema } from './schema/schema.ts';
import { alertingTables } from './tables/alerting.ts';
import { assemblyTables } from './tables/assembly.ts';
import { auditTables } from './tables/audit.ts';
import { billingTables } from './tables/billing.ts';
import { closesTables } from './tables/closes.ts';
import { membersTables } from './tables/members.ts';
import { plansTables } from './tables/plans.ts';
import { pricesTables } from './tables/prices.ts';
import { projectsTables } from './tables/projects.ts';
import { providerAccountsTables } from './tables/provider-accounts.ts';
import { serviceTables } from './tables/service.ts';
import { sharedCostsTables } from './tables/shared-costs.ts';

/** By id, which begins with a number of four digits. */
export type ControlMigrations = Readonly<Record<string, Migration>>;

const baseline = [
  ...projectsTables,
  ...pricesTables,
  ...assemblyTables,
  ...billingTables,
  ...closesTables,
  ...alertingTables,
  ...serviceTables,
  ...plansTables,
  ...providerAccountsTables,
  ...sharedCostsTables,
  ...auditTables,
  ...membersTables,
];

/**
 * The history of the control store's schema, forward only: a released migration never changes. Columns have the types
 * of both dialects: text, bigint, integer and double precision.
 */
export const controlMigrations = (dialect: 'sqlite' | 'postgres'): ControlMigrations => ({
  '0001_baseline': {
    async up(db: Kysely<ControlSchema>) {
      await createTables(db, dialect, [...baseline, ...(dialect === 'postgres' ? postgresChanges : [])]);
      await db.insertInto('lease').values({ id: 1, holder: '', epoch: 0, expires_at: 0, version: 0 }).execute();
    },
  },
});

async function createTables(
  db: Kysely<ControlSchema>,
  dialect: 'sqlite' | 'postgres',
  statements: readonly string[],
): Promise<void> {
  for (const statement of statements) {
    await sql.raw(dialect === 'postgres' ? orderedByCodePoint(statement) : statement).execute(db);
  }
}

/** A table whose text PostgreSQL orders by code point, as SQLite does. Each line has the name and the type of a column. */
const orderedByCodePoint = (statement: string): string => statement.replaceAll(/^( +\S+ text)\b/gm, '$1 collate "C"');
