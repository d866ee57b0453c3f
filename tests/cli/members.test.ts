import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../support/client.ts';
import { commandsOf } from './as-admin.ts';

const farthing = sharedFarthing();
const commands = commandsOf(farthing);

test('D34.2: members are invited, listed, changed, given a new link and removed by commands', async () => {
  const project = await farthing.createProject();
  const email = `${randomUUID()}@example.com`;
  const of = ['--project', project.id];
  const text = await commands.run('members', 'invite', email, '--role', 'editor', '--name', 'Ada', ...of);
  expect(text).toContain(`editor of ${project.id}`);
  const [, secret = ''] = /\/sign-in\/#(fi_\w+)/.exec(text) ?? [];
  expectStatus(await farthing.send('POST', '/session/', { body: { invitation: secret } }), 200);
  expect(await commands.run('members', 'list', ...of)).toMatch(new RegExp(`mem_\\w+ .*${email} .*Ada .*editor`));
  const again = Object(await commands.runJson('members', 'link', email.toUpperCase()));
  expect(again.link).toContain('/sign-in/#fi_');
  const changed = Object(await commands.runJson('members', 'role', email, '--role', 'viewer', ...of));
  expect(changed).toMatchObject({ roles: [{ project_id: project.id, role: 'viewer' }] });
  expect(Object(await commands.runJson('members', 'role', changed.id, '--role', 'none', ...of)).roles).toEqual([]);
  const admin = Object(await commands.runJson('members', 'invite', `admin-${email}`, '--admin'));
  expect(admin).toMatchObject({ is_admin: true, roles: [] });
  expect(await commands.run('members', 'remove', email)).toBe(`Removed ${email}.\n`);
  expect(await commands.fail('members', 'remove', email)).toBe(`There is no member with the e-mail ${email}.`);
  expect(await commands.fail('members', 'link', changed.id)).toBe('There is no member with this id.');
  expect(await commands.fail('members', 'invite', 'ada', ...of)).toContain('email: must be an e-mail address');
});
