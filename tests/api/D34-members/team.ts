// Members of the shared service, who sign in by their links.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import { type Answer, expectStatus, type Farthing } from '../../support/client.ts';
import { type Browser, signIn } from '../D2-session/session.ts';

export const invited = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  is_admin: z.boolean(),
  roles: z.array(z.object({ project_id: z.string(), role: z.string() })),
  invitation: z.object({ link: z.string().nullable(), expires_at: z.string() }).nullable(),
});

export const newEmail = (): string => `${randomUUID()}@example.com`;

/** The secret of a link. */
export const secretOf = (link: string | null | undefined): string => {
  const { pathname, search, hash } = new URL(link ?? '');
  expect([pathname, search]).toEqual(['/sign-in/', '']);
  return hash.slice(1);
};

export const invite = (farthing: Farthing, body: object, as?: Browser): Promise<Answer> =>
  as ? as.send('POST', '/admin/members/', { body }) : farthing.admin('POST', '/admin/members/', body);

/** A member of a project who has signed in. */
export async function join(
  farthing: Farthing,
  { role, project, isAdmin = false }: { role?: string; project?: string; isAdmin?: boolean },
): Promise<Browser & { readonly id: string; readonly email: string }> {
  const roles = role === undefined ? [] : [{ project_id: project, role }];
  const email = newEmail();
  const made = invited.parse(expectStatus(await invite(farthing, { email, is_admin: isAdmin, roles }), 201));
  const browser = await signIn(farthing, { invitation: secretOf(made.invitation?.link) });
  const send: Browser['send'] = (method, path, options = {}) =>
    browser.send(method, path, {
      ...options,
      headers: { ...(project !== undefined && { 'farthing-project': project }), ...options.headers },
    });
  return { ...browser, send, id: made.id, email };
}
