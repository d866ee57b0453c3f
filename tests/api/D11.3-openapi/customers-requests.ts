// A good request to every route of the tags and the erasure of customers and users.
import { randomUUID } from 'node:crypto';
import { expectStatus } from '../../support/client.ts';
import type { Drive, World } from './world.ts';

export const customers: Record<string, Drive> = {
  'POST /api/customer-tags/': async ({ project }) => {
    const customer = [{ customer_name: randomUUID(), tags: { plan: 'pro', trial: null } }];
    const first = await project.postTags(customer);
    return [first, await project.postTags(customer)];
  },
};

export const users: Record<string, Drive> = {
  'POST /api/user-tags/': async ({ internal }) => {
    const users = [{ user_name: randomUUID(), tags: { team: 'support', trainee: null } }];
    const first = await internal.api('POST', '/api/user-tags/', { users });
    return [first, await internal.api('POST', '/api/user-tags/', { users })];
  },
};

export const erasures: Record<string, Drive> = {
  'DELETE /api/customers/{name}/': (world) => asAdmin(world, 'DELETE', `/api/customers/${randomUUID()}/`),
  'DELETE /api/users/{name}/': (world) => asAdmin(world, 'DELETE', `/api/users/${randomUUID()}/`),
  'GET /api/erasures/': async (world) => {
    expectStatus(await asAdmin(world, 'DELETE', `/api/users/${randomUUID()}/`), 202);
    return await asAdmin(world, 'GET', '/api/erasures/');
  },
};

/** A request with the admin token, for the internal project. */
const asAdmin = ({ farthing, internal }: World, method: string, path: string) =>
  farthing.send(method, path, { token: farthing.adminToken, headers: { 'Farthing-Project': internal.id } });
