import type { BackgroundJob } from '../../../storage/background-job.ts';
import {
  type ControlQueries,
  type ControlSources,
  changeRows,
  findRow,
  withProjectLock,
} from '../../../storage/control/control-store.ts';
import { makeEntries } from './make-entries.ts';

/** How many invoices one step handles. */
const invoicesAStep = 200;

/** The background job that computes entries from Stripe again, some invoices at a time. */
export class Remaker implements BackgroundJob {
  readonly name = 'stripe';
  readonly restsDuringBackup = false;
  readonly #sources: ControlSources;

  constructor(sources: ControlSources) {
    this.#sources = sources;
  }

  async step(): Promise<boolean> {
    const { control, clock } = this.#sources;
    const waiting = await control.selectFrom('stripe_remakes').select('project_id').limit(1).executeTakeFirst();
    if (!waiting) return false;
    const projectId = waiting.project_id;
    await withProjectLock(control, projectId, async (transaction) => {
      await remakeSome(transaction, projectId, clock());
    });
    return true;
  }
}

async function remakeSome(transaction: ControlQueries, projectId: string, now: number): Promise<void> {
  const remake = await findRow(transaction, 'stripe_remakes', { project_id: projectId });
  if (!remake) return;
  const invoices = await transaction
    .selectFrom('stripe_objects')
    .select('invoice_id')
    .distinct()
    .where('project_id', '=', projectId)
    .where('invoice_id', '>', remake.after_invoice)
    .orderBy('invoice_id')
    .limit(invoicesAStep)
    .execute();
  const ids = invoices.flatMap(({ invoice_id: id }) => (id === null ? [] : [id]));
  await makeEntries(transaction, { projectId, now }, ids);
  const last = ids.at(-1);
  if (last === undefined || ids.length < invoicesAStep) {
    await transaction.deleteFrom('stripe_remakes').where('project_id', '=', projectId).execute();
    return;
  }
  await changeRows(transaction, 'stripe_remakes', { project_id: projectId }, { after_invoice: last });
}
