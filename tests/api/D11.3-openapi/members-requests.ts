// A good request to every route of members.
import { randomUUID } from 'node:crypto';
import { expectStatus } from '../../support/client.ts';
import { type Drive, idOf, type World } from './world.ts';

const invite = ({ farthing, project }: World) =>
  farthing.admin('POST', '/admin/members/', {
    email: `${randomUUID()}@example.com`,
    roles: [{ project_id: project.id, role: 'editor' }],
  });
const pathOfNew = async (world: World): Promise<string> =>
  `/admin/members/${idOf(expectStatus(await invite(world), 201))}/`;

export const members: Record<string, Drive> = {
  'GET /admin/members/': async (world) => {
    await invite(world);
    const { farthing, project } = world;
    return [
      await farthing.admin('GET', `/admin/members/?project_id=${project.id}`),
      await farthing.admin('GET', '/admin/members/'),
    ];
  },
  'POST /admin/members/': async (world) => [
    await invite(world),
    await world.farthing.admin('POST', '/admin/members/', { email: 'ada' }),
  ],
  'PATCH /admin/members/{id}/': async (world) =>
    world.farthing.admin('PATCH', await pathOfNew(world), {
      roles: [{ project_id: world.internal.id, role: 'owner' }],
    }),
  'DELETE /admin/members/{id}/': async (world) => world.farthing.admin('DELETE', await pathOfNew(world)),
  'POST /admin/members/{id}/links/': async (world) => world.farthing.admin('POST', `${await pathOfNew(world)}links/`),
};
