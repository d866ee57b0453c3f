// A good request to every route of provider accounts. The providers of the tests' service can't be reached.
import { randomUUID } from 'node:crypto';
import { expectStatus, type Project } from '../../support/client.ts';
import { type Drive, idOf } from './world.ts';

const path = '/api/provider-accounts/';
const account = () => ({ kind: 'openai', key: `sk-admin-${randomUUID()}` });
const names = [{ by: 'key', id: 'key_1', customer: 'acme' }];

/** Sets an account up, and returns its path. */
const add = async (project: Project): Promise<string> =>
  `${path}${idOf(expectStatus(await project.api('POST', path, account()), 201))}/`;

export const providerAccounts: Record<string, Drive> = {
  'GET /api/provider-accounts/': async ({ project }) => {
    await add(project);
    return await project.api('GET', path);
  },
  'POST /api/provider-accounts/': async ({ project }) => [
    await project.api('POST', path, { ...account(), kind: 'anthropic', mode: 'meter', names }),
    await project.api('POST', path, { ...account(), names: [...names, ...names] }),
  ],
  'PATCH /api/provider-accounts/{id}/': async ({ project }) =>
    await project.api('PATCH', await add(project), { mode: 'meter', names }),
  'POST /api/provider-accounts/{id}/read/': async ({ project }) =>
    await project.api('POST', `${await add(project)}read/`),
  'DELETE /api/provider-accounts/{id}/': async ({ project }) => await project.api('DELETE', await add(project)),
};
