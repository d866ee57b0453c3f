// Alerts over HTTP, for tests.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { expectStatus, type Json, onceCaughtUp, type Project } from '../../support/client.ts';
import { backgroundWithin, poll } from '../../support/poll.ts';

const alert = z.looseObject({
  kind: z.string(),
  enabled: z.boolean(),
  since: z.iso.datetime(),
  open: z.number().int(),
});
export type Alert = z.infer<typeof alert>;

const firing = z.strictObject({
  id: z.string().regex(/^fir_[0-9A-HJKMNP-TV-Z]{26}$/),
  kind: z.string(),
  subject: z.record(z.string(), z.union([z.string(), z.number()])),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
  numbers: z.record(z.string(), z.unknown()),
  title: z.string().min(1),
  text: z.string().min(1),
  path: z.string().startsWith('/'),
});
export type Firing = z.infer<typeof firing>;

const page = z.strictObject({
  firings: z.array(firing),
  next_cursor: z.string().nullable(),
  has_more: z.boolean(),
});

export async function listAlerts(project: Project): Promise<Alert[]> {
  const answer = expectStatus(await project.api('GET', '/api/alerts/'), 200);
  return z.strictObject({ alerts: z.array(alert) }).parse(answer).alerts;
}

export async function changeAlert(project: Project, kind: string, fields: Json): Promise<Alert> {
  return alert.parse(expectStatus(await project.api('PUT', `/api/alerts/${kind}/`, fields), 200));
}

export async function askFirings(project: Project, query = ''): Promise<z.infer<typeof page>> {
  return page.parse(expectStatus(await project.api('GET', `/api/alerts/firings/${query}`), 200));
}

/** Waits until a question about firings is answered as it should be. A change of settings makes the service look soon. */
export async function untilFirings(
  project: Project,
  query: string,
  isRight: (firings: readonly Firing[]) => boolean,
): Promise<Firing[]> {
  return await poll('the firings are as they should be', { within: backgroundWithin, every: 300 }, async () => {
    const { firings } = await askFirings(project, query);
    return isRight(firings) ? firings : undefined;
  });
}

/** Posts calls that happen now, and waits until they are in the answers. */
export async function call(project: Project, ...calls: Json[]): Promise<void> {
  const events = calls.map((fields) => ({ event_id: randomUUID(), event_type: 'llm.after', ...fields }));
  await project.post(...events);
  await onceCaughtUp(() => project.api('POST', '/api/costs/', { date_from: '2026-01-01', aggregate: 'all' }));
}
