import type { Kysely, RawBuilder } from 'kysely';
import type { ControlSchema } from './schema.ts';

/** Makes the table of `BudgetRow`. `text` is the type of text columns. */
export async function createBudgetTable(db: Kysely<ControlSchema>, text: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('budgets')
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('amount', text, (column) => column.notNull())
    .addColumn('period', text, (column) => column.notNull())
    .addColumn('scope', text, (column) => column.notNull())
    .addColumn('each_of', text)
    .addColumn('thresholds', text, (column) => column.notNull())
    .addColumn('apply_credits', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('budgets_key', ['project_id', 'name'])
    .execute();
}
