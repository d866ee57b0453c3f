import { type ControlQueries, findRow } from './control-store.ts';

/** Asks for all entries from Stripe to be computed again, because something that all of them depend on has changed. */
export async function requestRemake(transaction: ControlQueries, projectId: string): Promise<void> {
  await transaction
    .insertInto('stripe_remakes')
    .values({ project_id: projectId, after_invoice: '' })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ after_invoice: '' }))
    .execute();
}

/** Whether some entries of a project are still to be computed again, while others already are. */
export const isRemaking = async (control: ControlQueries, projectId: string): Promise<boolean> =>
  (await findRow(control, 'stripe_remakes', { project_id: projectId })) !== undefined;
