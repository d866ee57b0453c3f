import { sql } from 'kysely';
import type { ControlQueries } from '../../../storage/control/control-store.ts';

/** How many credit notes and refunded charges have no known invoice. They do not count until it is known. */
export async function countUnlinked(
  control: ControlQueries,
  projectId: string,
): Promise<{ readonly credit_notes: number; readonly refunds: number }> {
  const rows = await control
    .selectFrom('stripe_objects')
    .select(['kind', (row) => row.fn.countAll<number | string>().as('objects')])
    .where('project_id', '=', projectId)
    .where('kind', 'in', ['credit_note', 'charge'])
    .where(
      sql<boolean>`not exists (select 1 from stripe_objects as invoices
        where invoices.project_id = stripe_objects.project_id and invoices.id = stripe_objects.invoice_id)`,
    )
    .groupBy('kind')
    .execute();
  const counts = new Map(rows.map(({ kind, objects }) => [kind, Number(objects)]));
  return { credit_notes: counts.get('credit_note') ?? 0, refunds: counts.get('charge') ?? 0 };
}
