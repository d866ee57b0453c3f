// Starts reprices, timezone changes and rebuilds, and waits for their end.
import { z } from 'zod';
import { expectStatus, type Json, type Project } from './client.ts';
import { backgroundWithin, poll } from './poll.ts';

const sums = { before: z.number(), after: z.number() };

const margins = {
  revenue: z.number().nullable(),
  margin_before: z.number().nullable(),
  margin_after: z.number().nullable(),
};

const reprice = z.object({
  id: z.string(),
  state: z.enum(['queued', 'running', 'done', 'failed']),
  dry_run: z.boolean(),
  reread: z.boolean(),
  what_if: z.boolean(),
  date_from: z.string(),
  date_to: z.string(),
  requested_by: z.string(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
  failure: z.string().nullable(),
  progress: z.number(),
  assume: z.record(z.string(), z.unknown()).nullable(),
  not_changed: z
    .object({
      calls: z.number(),
      cost: z.number(),
      by_model: z.array(z.object({ model: z.string(), reason: z.string(), calls: z.number(), cost: z.number() })),
    })
    .nullable(),
  widened: z.array(z.object({ model: z.string(), kinds: z.array(z.string()), calls: z.number() })).nullable(),
  revenue: z.number().nullable(),
  before: z.number().nullable(),
  after: z.number().nullable(),
  by_cause: z.array(z.object({ cause: z.enum(['reading', 'price']), ...sums })),
  by_day: z.array(z.object({ date: z.string(), ...sums })),
  by_model: z.array(z.object({ model: z.string(), ...sums })),
  other_models: z.object({ models: z.number(), ...sums }),
  by_customer: z.array(z.object({ customer: z.string(), ...sums, ...margins })),
  others: z.object({ customers: z.number(), ...sums }),
});
export type Reprice = z.infer<typeof reprice>;

export async function askForReprice(project: Project, fields: Json): Promise<string> {
  const answer = await project.api('POST', '/api/prices/reprice/', fields);
  return z.strictObject({ id: z.string() }).parse(expectStatus(answer, 202)).id;
}

export async function readReprice(project: Project, id: string): Promise<Reprice> {
  return reprice.parse(expectStatus(await project.api('GET', `/api/prices/reprices/${id}/`), 200));
}

/** Starts a reprice and waits for its end. */
export const repriceDays = async (project: Project, fields: Json): Promise<Reprice> =>
  await repriceIsDone(project, await askForReprice(project, fields));

/** Waits for the end of a reprice. */
export async function repriceIsDone(project: Project, id: string): Promise<Reprice> {
  return await poll('the reprice is done', { within: backgroundWithin }, async () => {
    const found = await readReprice(project, id);
    if (found.state === 'failed') throw new Error(`the reprice failed: ${found.failure}`);
    return found.state === 'done' ? found : undefined;
  });
}

/** Changes the timezone of a project and waits until it is in force. */
export async function changeTimezone(project: Project, timezone: string): Promise<void> {
  const { farthing, adminPath } = project;
  expectStatus(await farthing.admin('PATCH', `${adminPath}/`, { timezone }), 200);
  const record = z.object({ timezone: z.string(), pending_timezone: z.string().nullable() });
  await poll('the timezone is in force', { within: backgroundWithin }, async () => {
    const found = record.parse(expectStatus(await farthing.admin('GET', `${adminPath}/`), 200));
    return found.timezone === timezone && found.pending_timezone === null ? true : undefined;
  });
}

const rebuild = z.object({
  id: z.string(),
  state: z.string(),
  before: z.number().nullable(),
  after: z.number().nullable(),
  by_cause: z.array(z.object({ cause: z.enum(['reading', 'price']), ...sums })),
  dry_run: z.boolean(),
  reread: z.boolean(),
  kept_from: z.string().nullable(),
});

/** Rebuilds all calls of a project and waits until they are in force. */
export async function rebuildProject(
  { farthing, adminPath }: Project,
  fields?: Json,
  within = backgroundWithin,
): Promise<z.infer<typeof rebuild>> {
  const asked = expectStatus(await farthing.admin('POST', `${adminPath}/rebuilds/`, fields), 202);
  const { id } = z.object({ id: z.string() }).parse(asked);
  return await poll('the rebuild is done', { within }, async () => {
    const found = rebuild.parse(expectStatus(await farthing.admin('GET', `${adminPath}/rebuilds/${id}/`), 200));
    return found.state === 'done' ? found : undefined;
  });
}
