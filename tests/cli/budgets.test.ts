import { beforeAll, expect, test } from 'vitest';
import { costEvent, type Project, sharedFarthing } from '../support/client.ts';
import { noon } from '../support/noon.ts';
import { commandsOf } from './as-admin.ts';

const farthing = sharedFarthing();
const commands = commandsOf(farthing);
let project: Project;
let of: string[];

beforeAll(async () => {
  project = await farthing.createProject({ timezone: noon.timezone });
  of = ['--project', project.id];
});

test('D13.2, D20.1: budgets are added, listed with a bar of what is spent, shown and removed', async () => {
  const spend = (cost: number, customer: string) => costEvent({ cost, customer, timestamp: new Date().toISOString() });
  await project.post(spend(3, 'acme'), spend(1.25, 'globex'));
  const each = ['--each', 'customer', '--customer', 'acme', '--customer', 'globex', '--customer-tag', 'plan=free'];
  const made = await commands.runJson(
    ...['budgets', 'add', 'Free plan', '--amount', '2.5', '--period', 'day', ...each, '--thresholds', '10,90', ...of],
  );
  expect(made).toMatchObject({
    name: 'Free plan',
    amount: 2.5,
    each: 'customer',
    scope: { customers: ['acme', 'globex'], customer_tags: { plan: ['free'] } },
    thresholds: [10, 90],
  });
  const added = await commands.run('budgets', 'add', 'All', '--amount', '5', '--period', 'month', ...of);
  expect(added).toMatch(/All .* \$5\.00 .* month .* all calls .* 50%, 80%, 100%/);
  expect(await commands.fail('budgets', 'add', 'All', '--amount', '5', '--period', 'year', ...of)).toContain('period');
  expect(
    await commands.fail('budgets', 'add', 'b', '--amount', '5', '--period', 'day', '--customer-tag', 'x'),
  ).toContain('key=value');

  await project.tag({ customer_name: 'acme', tags: { plan: 'free' } });
  const listed = await commands.run('budgets', ...of);
  expect(listed).toMatch(/All .* \$5\.00 a month .* \$4\.25 .* ████████░░ 85% /);
  expect(listed).toMatch(/Free plan .* \$2\.50 a day for each customer .* \$3\.00 .* ██████████ 120% acme /);
  expect(await commands.runJson('budgets', 'list', ...of)).toMatchObject({
    budgets: [{ name: 'All', spent: 4.25, thresholds_passed: [50, 80] }, { name: 'Free plan' }],
  });
  const shown = await commands.run('budgets', 'show', 'Free plan', ...of);
  expect(shown).toMatch(/acme .* \$3\.00 .* -\$0\.50 .* 10%, 90%/);
  expect(await commands.run('budgets', 'show', 'Free plan', '--of', 'globex', ...of)).toMatch(
    /Free plan: globex .* \$0\.00 .* ░░░░░░░░░░ 0% .* \$2\.50/,
  );

  expect(await commands.run('budgets', 'remove', 'Free plan', ...of)).toContain('Removed Free plan.');
  expect(await commands.fail('budgets', 'show', 'Free plan', ...of)).toContain('no budget of this name');
});
