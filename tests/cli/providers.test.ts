// `farthing providers`, against a service that reaches no provider.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { sharedFarthing } from '../support/client.ts';
import { poll } from '../support/poll.ts';
import { commandsOf } from './as-admin.ts';

const farthing = sharedFarthing();
const key = 'sk-ant-admin-of-the-command-0123456789';

test('D13.2, D30.1: an account is set up, shown with its last fault, changed, read and removed', async () => {
  const project = await farthing.createProject();
  const of = ['--project', project.id];
  const commands = commandsOf(farthing, { PROVIDER_KEY: key });
  const named = ['--name', 'key:k:1=customer:acme,feature:chat', '--name', 'workspace:w=user:ada'];
  const made = await commands.runJson('providers', 'add', 'anthropic', '--mode', 'meter', ...named, ...of);
  expect(made).toMatchObject({
    ...{ kind: 'anthropic', mode: 'meter', calls: 0 },
    names: [
      { by: 'key', id: 'k:1', customer: 'acme', feature: 'chat' },
      { by: 'workspace', id: 'w', user: 'ada' },
    ],
  });
  const { id } = z.object({ id: z.string() }).parse(made);
  await poll('the fault is shown', { within: 60_000, every: 500 }, async () =>
    /could not be reached \(ECONNREFUSED\)/.test(await commands.run('providers', ...of)) ? true : undefined,
  );
  expect(await commands.fail('providers', 'add', 'anthropic', ...of)).toContain(`This key is already set up: ${id}.`);
  expect(await commands.fail('providers', 'add', 'azure', ...of)).toBe(
    'The kind must be one of openai, anthropic, openrouter.',
  );
  expect(await commands.fail('providers', 'change', id, '--name', 'acme', ...of)).toContain('must be like key:ID=');
  expect(await commands.run('providers', 'change', id, '--mode', 'reconcile', ...of)).toContain(
    'reconcile, not yet done',
  );
  expect(await commands.runJson('providers', 'read', id, ...of)).toMatchObject({ id, names: [{}, {}] });
  const warning = new RegExp(
    `"provider accounts","verdict":"warn","detail":"[^"]*${id} of ${project.id}: anthropic could not be reached`,
  );
  // The reading that was asked for may have begun, and its fault comes with its end.
  await poll('the doctor warns', { within: 60_000, every: 500 }, async () =>
    warning.test(JSON.stringify(await commands.runJson('doctor'))) ? true : undefined,
  );
  expect(await commands.run('providers', 'remove', id, ...of)).toContain(`Removed ${id}.`);
  expect(await commands.runJson('providers', 'list', ...of)).toEqual({ accounts: [] });
  expect(await commands.fail('providers', 'read', id, ...of)).toContain('no provider account with this id');
});
