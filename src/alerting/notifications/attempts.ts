import { z } from 'zod';
import { openCursor } from '../../lib/http/cursor.ts';
import { cutPage } from '../../lib/http/page-envelope.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';

const attemptPosition = z.tuple([z.string().max(100)]);

/** The attempts to send to an endpoint, newest first, with the delivery that each was for. */
export async function listAttempts(
  control: ControlStore,
  {
    endpointId,
    limit,
    cursor,
  }: { readonly endpointId: string; readonly limit: number; readonly cursor: string | undefined },
) {
  const question = ['notification attempts', endpointId];
  const after = cursor === undefined ? undefined : openCursor(question, cursor, attemptPosition)[0];
  const found = await control
    .selectFrom('notification_attempts as attempts')
    .innerJoin('notification_deliveries as deliveries', 'deliveries.id', 'attempts.delivery_id')
    .selectAll('attempts')
    .select(['deliveries.notification_id', 'deliveries.kind', 'deliveries.event', 'deliveries.state'])
    .where('attempts.endpoint_id', '=', endpointId)
    .$if(after !== undefined, (query) => query.where('attempts.id', '<', after ?? ''))
    .orderBy('attempts.id', 'desc')
    .limit(limit + 1)
    .execute();
  return cutPage(question, found, limit, ({ id }) => [id]);
}

/** How many deliveries wait for each endpoint of a project; endpoints for which none waits are left out. */
export async function countWaiting(control: ControlStore, projectId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await control
    .selectFrom('notification_deliveries')
    .select(['endpoint_id', (build) => build.fn.countAll<number | string | bigint>().as('waiting')])
    .where('project_id', '=', projectId)
    .where('next_attempt_at', 'is not', null)
    .groupBy('endpoint_id')
    .execute();
  return new Map(rows.map(({ endpoint_id, waiting }) => [endpoint_id, Number(waiting)]));
}
