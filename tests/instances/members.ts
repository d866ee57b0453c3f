import { expect, test } from 'vitest';
import { cookieOf } from '../api/D2-session/session.ts';
import { readAdminLog } from '../api/D34-audit/support.ts';
import { invite, invited, newEmail, secretOf } from '../api/D34-members/team.ts';
import { expectStatus, type Farthing } from '../support/client.ts';
import { poll } from '../support/poll.ts';

/** Members of one service with several instances: what one says of them holds on all. */
export function testMembers(farthingsOf: () => readonly [Farthing, Farthing, Farthing]): void {
  test('D34.2, D1.4: a link opens once on all instances; a role and a removal count on each within ten seconds', async () => {
    const [here, there] = farthingsOf();
    const project = await here.createProject();
    const role = (name: string) => ({ roles: [{ project_id: project.id, role: name }] });
    const made = invited.parse(expectStatus(await invite(here, { email: newEmail(), ...role('editor') }), 201));
    const body = { invitation: secretOf(made.invitation?.link) };
    const opened = await Promise.all(
      [here, there, here, there].map((farthing) => farthing.send('POST', '/session/', { body })),
    );
    expect(opened.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    const cookie = opened.map((answer) => cookieOf(answer).split(';')[0] ?? '').join('');
    const statusAt = async (farthing: Farthing) => {
      const headers = { cookie, 'farthing-project': project.id, origin: farthing.url };
      // The body is refused only of who may write.
      return (await farthing.send('POST', '/api/prices/', { headers, body: {} })).status;
    };
    const within = { within: 10_000, every: 200 };
    const until = async (farthing: Farthing, status: number) =>
      await poll(`the answer ${status}`, within, async () => (await statusAt(farthing)) === status || undefined);
    for (const farthing of [here, there]) await until(farthing, 400);

    // Of changes at the same time on both, the log tells each that was in force, one after another.
    const path = `/admin/members/${made.id}/`;
    const roles = ['viewer', 'owner', 'viewer', 'editor', 'owner', 'viewer'];
    await Promise.all(
      roles.map(async (name, at) => expectStatus(await (at % 2 ? here : there).admin('PATCH', path, role(name)), 200)),
    );
    const [{ role: last } = { role: '' }] = Object(await readMember(here, made.id)).roles;
    const log = (await readAdminLog(here, `subject=${made.id}&kind=member_role`)).toReversed();
    expect(log.map(({ before }) => before?.role)).toEqual(
      [undefined, ...log.map(({ after }) => after?.role)].slice(0, -1),
    );
    expect(log.at(-1)?.after?.role).toBe(last);
    expectStatus(await here.admin('PATCH', path, role('viewer')), 200);
    for (const farthing of [here, there]) await until(farthing, 403);

    expectStatus(await there.admin('DELETE', path), 204);
    expect(await statusAt(there)).toBe(401);
    await until(here, 401);
  });
}

async function readMember(farthing: Farthing, id: string): Promise<unknown> {
  const { members } = Object(expectStatus(await farthing.admin('GET', '/admin/members/'), 200));
  return members.find((member: { readonly id: string }) => member.id === id);
}
