import { newId } from '../../lib/ids.ts';
import { type ControlStore, lockProject } from '../../storage/control/control-store.ts';
import { toDelivery } from './enqueue.ts';

/** The most tests of a project in a minute. A limit, because an endpoint may belong to somebody else. */
export const maxTestsAMinute = 10;

/** Stores a delivery that tests an endpoint, also a disabled one. Undefined when the project has tested too often. */
export async function storeTest(
  control: ControlStore,
  { projectId, endpointId, now }: { readonly projectId: string; readonly endpointId: string; readonly now: number },
): Promise<{ readonly notificationId: string; readonly webhookId: string } | undefined> {
  return await control.transaction().execute(async (transaction) => {
    await lockProject(transaction, projectId);
    const { tests } = await transaction
      .selectFrom('notification_deliveries')
      .select((build) => build.fn.countAll<number | string | bigint>().as('tests'))
      .where('project_id', '=', projectId)
      .where('kind', '=', 'test')
      .where('created_at', '>', now - 60_000)
      .executeTakeFirstOrThrow();
    if (Number(tests) >= maxTestsAMinute) return undefined;
    const { name } = await transaction
      .selectFrom('projects')
      .select('name')
      .where('id', '=', projectId)
      .executeTakeFirstOrThrow();
    const delivery = toDelivery(endpointId, {
      id: newId('nts'),
      projectId,
      projectName: name,
      kind: 'test',
      event: 'test',
      at: now,
      title: 'This is a test',
      text: 'Farthing can reach this endpoint. Alerts of the project will come here.',
      path: '/alerts',
      data: {},
    });
    await transaction.insertInto('notification_deliveries').values(delivery).execute();
    return { notificationId: delivery.notification_id, webhookId: delivery.id };
  });
}
