// A control store into which objects of Stripe are taken as a webhook takes them.

import type { StripeObject } from '../../../src/billing/revenue/stripe/objects.ts';
import { readEvent, readObject } from '../../../src/billing/revenue/stripe/read-object.ts';
import { takeObjects } from '../../../src/billing/revenue/stripe/take-objects.ts';
import { type ControlStore, lockProject } from '../../../src/storage/control/control-store.ts';
import type { Json } from '../../support/stripe.ts';

/** Objects as read of webhooks, or of the API. */
export function read(...values: readonly Json[]): StripeObject[] {
  return values.flatMap((value) => {
    const found = value.object === 'event' ? readEvent(value) : readObject(value);
    if (found.faults) throw new Error(JSON.stringify(found.faults));
    return [...found.objects];
  });
}

let now = Date.UTC(2026, 0, 15);

/** Takes events in one transaction; gives how many objects have changed. */
export async function take(control: ControlStore, projectId: string, ...values: readonly Json[]): Promise<number> {
  now += 1_000;
  return await control.transaction().execute(async (transaction) => {
    await lockProject(transaction, projectId);
    return await takeObjects(transaction, { projectId, now }, read(...values));
  });
}

/** The entries of a project that come from Stripe, by external id, without the times of writing. */
export async function entriesOf(control: ControlStore, projectId: string) {
  const rows = await control
    .selectFrom('revenue_entries')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('source', '=', 'stripe')
    .orderBy('external_id')
    .execute();
  return rows.map(({ project_id: _project, created_at: _created, updated_at: _updated, ...row }) => row);
}
