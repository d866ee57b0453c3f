import { expect, test } from 'vitest';
import { sharedFarthing } from '../support/client.ts';
import { commandsOf } from './as-admin.ts';

const farthing = sharedFarthing();
const commands = commandsOf(farthing);

test('D34.3: the command line shows who changed what, with before and after', async () => {
  const project = await farthing.createProject();
  const of = ['--project', project.id];
  await commands.run('budgets', 'add', 'audited', '--amount', '100', '--period', 'month', ...of);
  await commands.run('budgets', 'remove', 'audited', ...of);
  const shown = await commands.run('audit', '--kind', 'budget', '--limit', '1', ...of);
  expect(shown).toMatch(/admin_token .*budget deleted .*audited .*amount=100 /);
  expect(shown).not.toContain('created');
  expect(await commands.runJson('audit', '--subject', 'audited', '--actor', 'admin_token', ...of)).toMatchObject({
    entries: [
      { action: 'deleted', before: { amount: 100 }, after: null, project_id: project.id },
      { action: 'created', before: null, after: { amount: 100 } },
    ],
    has_more: false,
  });
  expect(await commands.runJson('audit', '--subject', project.id)).toMatchObject({
    entries: [{ kind: 'project', action: 'created', project_id: null }],
  });
  // Nothing steers the terminal, or turns what is shown the other way round.
  await commands.run('budgets', 'add', 'pay\u202etxt\u2066\u200f', '--amount', '1', '--period', 'month', ...of);
  expect(await commands.run('audit', '--limit', '1', ...of)).toContain('pay□txt□□ ');
  expect(await commands.run('audit', '--kind', 'price', ...of)).toContain('none');
  expect(await commands.fail('audit', '--project', 'prj_none')).toMatch(/^There is no project with this id; /);
  expect(await commands.fail('audit', '--kind', 'weather')).toContain('price_list');
});
