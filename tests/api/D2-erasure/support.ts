import { z } from 'zod';
import { expectStatus, type Project } from '../../support/client.ts';
import { backgroundWithin, poll } from '../../support/poll.ts';

export const asAdmin = (project: Project, method: string, path: string) =>
  project.farthing.send(method, path, {
    token: project.farthing.adminToken,
    headers: { 'farthing-project': project.id },
  });

export const erasures = z.object({
  erasures: z.array(z.object({ id: z.string(), dimension: z.string(), finished_at: z.string().nullable() })),
});

/** Erases a customer or user and waits until the erasure is done. */
export async function erase(project: Project, path: string): Promise<void> {
  const { id } = z.strictObject({ id: z.string() }).parse(expectStatus(await asAdmin(project, 'DELETE', path), 202));
  await poll('the erasure is done', { within: backgroundWithin, every: 200 }, async () => {
    const listed = erasures.parse(expectStatus(await asAdmin(project, 'GET', '/api/erasures/'), 200));
    return listed.erasures.find((one) => one.id === id)?.finished_at ?? undefined;
  });
}
