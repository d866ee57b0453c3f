// A good request to every route of the service itself, of projects and of their keys.
import { randomUUID } from 'node:crypto';
import { type Answer, expectStatus } from '../../support/client.ts';
import { type Drive, idOf, type World } from './world.ts';

export const operations: Record<string, Drive> = {
  'GET /healthz': ({ farthing }) => farthing.send('GET', '/healthz'),
  'GET /readyz': ({ farthing }) => farthing.send('GET', '/readyz'),
  'GET /metrics': ({ farthing }) => farthing.send('GET', '/metrics'),
  'GET /openapi.json': ({ farthing }) => farthing.send('GET', '/openapi.json'),
  'GET /docs/': ({ farthing }) => farthing.send('GET', '/docs/'),
  'GET /docs/reference.js': ({ farthing }) => farthing.send('GET', '/docs/reference.js'),
};

export const sessions: Record<string, Drive> = {
  'POST /session/': async ({ farthing, project }) => [
    await farthing.send('POST', '/session/', { body: { api_key: project.apiKey } }),
    await farthing.send('POST', '/session/', { body: { admin_token: farthing.adminToken } }),
    await farthing.send('POST', '/session/', { body: { api_key: 'fk_none' } }),
  ],
  'POST /session/link/': async ({ farthing }) => {
    const email = `${randomUUID()}@example.com`;
    const made = await farthing.admin('POST', '/admin/members/', { email });
    const invitation = String(Object(made.body).invitation.link).split('#')[1];
    return [
      await farthing.send('POST', '/session/link/', { body: { invitation } }),
      await farthing.send('POST', '/session/link/', { body: { invitation: 'fi_none' } }),
    ];
  },
  'GET /session/': async (world) => {
    const cookie = await signIn(world);
    return [
      await world.farthing.send('GET', '/session/', { headers: { cookie } }),
      await world.farthing.send('GET', '/session/'),
    ];
  },
  'GET /session/ways/': ({ farthing }) => farthing.send('GET', '/session/ways/'),
  'DELETE /session/': async (world) => {
    const { farthing } = world;
    const cookie = await signIn(world);
    const foreign = await farthing.send('DELETE', '/session/', { headers: { cookie } });
    return [await farthing.send('DELETE', '/session/', { headers: { cookie, origin: farthing.url } }), foreign];
  },
};

async function signIn({ farthing, project }: World): Promise<string> {
  const answer = await farthing.send('POST', '/session/', { body: { api_key: project.apiKey } });
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

export const projects: Record<string, Drive> = {
  'GET /api/project/': ({ project }) => project.api('GET', '/api/project/'),
  'POST /admin/projects/': ({ farthing }) => farthing.admin('POST', '/admin/projects/', { name: 'described' }),
  'GET /admin/projects/': ({ farthing }) => farthing.admin('GET', '/admin/projects/'),
  'GET /admin/projects/{id}/': ({ farthing, project }) => farthing.admin('GET', `${project.adminPath}/`),
  'PATCH /admin/projects/{id}/': ({ farthing, internal }) =>
    farthing.admin('PATCH', `${internal.adminPath}/`, { name: 'renamed' }),
  'DELETE /admin/projects/{id}/': async (world) =>
    world.farthing.admin('DELETE', `${(await world.farthing.createProject({ name: 'described' })).adminPath}/`),
  'POST /admin/projects/{id}/rebuilds/': ({ farthing, internal }) =>
    farthing.admin('POST', `${internal.adminPath}/rebuilds/`),
  'GET /admin/projects/{id}/rebuilds/': ({ farthing, internal }) =>
    farthing.admin('GET', `${internal.adminPath}/rebuilds/`),
  'GET /admin/projects/{id}/rebuilds/{rebuild_id}/': ({ farthing, internal, rebuildId }) =>
    farthing.admin('GET', `${internal.adminPath}/rebuilds/${rebuildId}/`),
};

export const keys: Record<string, Drive> = {
  'POST /admin/projects/{id}/clients/': ({ farthing, project }) =>
    farthing.admin('POST', `${project.adminPath}/clients/`, { name: 'described' }),
  'GET /admin/projects/{id}/clients/': ({ farthing, project }) =>
    farthing.admin('GET', `${project.adminPath}/clients/`),
  'DELETE /admin/projects/{id}/clients/{client_id}/': async ({ farthing, project }) =>
    farthing.admin('DELETE', `${project.adminPath}/clients/${(await project.createClient()).client_id}/`),
  'POST /admin/projects/{id}/clients/{client_id}/secrets/': async ({ farthing, project }) => {
    const path = `${project.adminPath}/clients/${(await project.createClient()).client_id}/secrets/`;
    return [
      await farthing.admin('POST', path, { expires_at: '2099-12-31T00:00:00Z' }),
      await farthing.send('POST', path, { token: farthing.adminToken }),
    ];
  },
  'DELETE /admin/projects/{id}/clients/{client_id}/secrets/{secret_id}/': async ({ farthing, project }) => {
    const { client_id: clientId } = await project.createClient();
    const { id } = await project.createSecret(clientId);
    return await farthing.admin('DELETE', `${project.adminPath}/clients/${clientId}/secrets/${id}/`);
  },
  'POST /admin/projects/{id}/api-keys/': ({ farthing, project }) =>
    farthing.admin('POST', `${project.adminPath}/api-keys/`, { expires_at: '2099-12-31T00:00:00Z' }),
  'GET /admin/projects/{id}/api-keys/': ({ farthing, project }) =>
    farthing.admin('GET', `${project.adminPath}/api-keys/`),
  'DELETE /admin/projects/{id}/api-keys/{key_id}/': async ({ farthing, project }) =>
    farthing.admin('DELETE', `${project.adminPath}/api-keys/${(await project.createKey({})).id}/`),
};

/** Begins a backup, sends a request about it, and ends it, because deletions of other tests wait for its end. */
async function withBackup({ farthing }: World, ask: (path: string) => Promise<Answer>): Promise<Answer> {
  const begun = await farthing.admin('POST', '/admin/backups/');
  const path = `/admin/backups/${idOf(expectStatus(begun, 201))}/`;
  const answer = await ask(path);
  await farthing.admin('DELETE', path);
  return answer;
}

export const operating: Record<string, Drive> = {
  'GET /api/audit/': ({ project }) =>
    project.api('GET', '/api/audit/?actor=admin_token&kind=client&from=2024-05-01T00:00:00Z'),
  'GET /admin/audit/': ({ farthing, project }) =>
    farthing.admin('GET', `/admin/audit/?project_id=${project.id}&limit=2`),
  'GET /admin/diagnosis/': ({ farthing }) => farthing.admin('GET', '/admin/diagnosis/'),
  'POST /admin/backups/': async ({ farthing }) => {
    const begun = await farthing.admin('POST', '/admin/backups/');
    await farthing.admin('DELETE', `/admin/backups/${idOf(begun.body)}/`);
    return begun;
  },
  'GET /admin/backups/{id}/control/': (world) =>
    withBackup(world, (path) => world.farthing.admin('GET', `${path}control/`)),
  'GET /admin/backups/{id}/parts/{part}/': (world) =>
    withBackup(world, (path) => world.farthing.admin('GET', `${path}parts/0/`)),
  'DELETE /admin/backups/{id}/': (world) => withBackup(world, (path) => world.farthing.admin('DELETE', path)),
};
