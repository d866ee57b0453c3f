// Credit grants over HTTP, for tests.
import { z } from 'zod';
import { expectStatus, type Json, type Project } from '../../support/client.ts';

const grant = z.strictObject({
  id: z.string().regex(/^grt_[0-9A-HJKMNP-TV-Z]{26}$/),
  name: z.string().nullable(),
  provider: z.string(),
  models: z.array(z.string()).nullable(),
  amount: z.number(),
  starts_on: z.string(),
  expires_on: z.string().nullable(),
  priority: z.number().int(),
  created_at: z.iso.datetime(),
});
export type Grant = z.infer<typeof grant>;

const listing = z.strictObject({
  credit_grants: z.array(
    z.strictObject({
      ...grant.shape,
      used: z.number(),
      remaining: z.number(),
      runs_out_on: z.string().nullable(),
    }),
  ),
});
export type BalancedGrant = z.infer<typeof listing>['credit_grants'][number];

/** Adds a grant for provider `p` from 2024 on, unless the fields say otherwise. */
export async function addGrant(project: Project, fields: Json = {}): Promise<Grant> {
  const body = { provider: 'p', amount: 10, starts_on: '2024-01-01', ...fields };
  return grant.parse(expectStatus(await project.api('POST', '/api/credit-grants/', body), 201));
}

export async function listGrants(project: Project): Promise<BalancedGrant[]> {
  return listing.parse(expectStatus(await project.api('GET', '/api/credit-grants/'), 200)).credit_grants;
}

/** The only grant of a project. */
export async function onlyGrant(project: Project): Promise<BalancedGrant> {
  const [only, ...others] = await listGrants(project);
  if (!only || others.length > 0) throw new Error('the project does not have exactly one grant');
  return only;
}
