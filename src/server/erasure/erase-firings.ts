import { z } from 'zod';
import type { TaggedDimension } from '../../lib/dimensions.ts';
import { parseJson } from '../../lib/json.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';

/** The customers that explain an unusual cost. */
const explained = z.object({ explanation: z.object({ customers: z.array(z.object({ customer: z.string() })) }) });

/** Deletes the firings of alerts that are about a customer or user, and those whose explanation names one. */
export async function eraseFirings(
  transaction: ControlQueries,
  projectId: string,
  { dimension, name }: { readonly dimension: TaggedDimension; readonly name: string },
): Promise<void> {
  await transaction.deleteFrom('firings').where('project_id', '=', projectId).where(dimension, '=', name).execute();
  if (dimension === 'user') return;
  const anomalies = await transaction
    .selectFrom('firings')
    .select(['id', 'numbers'])
    .where('project_id', '=', projectId)
    .where('kind', '=', 'anomaly')
    .execute();
  for (const { id, numbers } of anomalies) {
    const { data } = explained.safeParse(parseJson(numbers));
    const isNamed = data?.explanation.customers.some(({ customer }) => customer === name);
    if (isNamed) await transaction.deleteFrom('firings').where('id', '=', id).execute();
  }
}
