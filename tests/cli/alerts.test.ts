import { beforeAll, expect, test } from 'vitest';
import { untilFirings } from '../api/D20-alerts/support.ts';
import { type Project, sharedFarthing } from '../support/client.ts';
import { commandsOf } from './as-admin.ts';

const farthing = sharedFarthing();
const commands = commandsOf(farthing);
let project: Project;
let of: string[];

beforeAll(async () => {
  project = await farthing.createProject();
  of = ['--project', project.id];
});

test('D20.3: the command line lists firings, open ones and ended ones', async () => {
  expect(await commands.run('alerts', ...of)).not.toContain('house-llm');
  await project.post({ event_type: 'x.after', event_id: crypto.randomUUID(), model: 'house-llm', prompt_tokens: 3 });
  // A change of settings makes the service look soon.
  await commands.run('alerts', 'set', 'unpriced_model', '--setting', 'days=3', ...of);
  await untilFirings(project, '', ({ length }) => length === 1);
  const open = await commands.run('alerts', 'list', '--state', 'open', ...of);
  expect(open).toContain('unpriced_model');
  expect(open).toContain('house-llm has no price');
  expect(await commands.run('alerts', 'list', '--kind', 'budget', ...of)).not.toContain('house-llm');
  expect(await commands.runJson('alerts', 'list', ...of)).toMatchObject({
    firings: [{ kind: 'unpriced_model', subject: { model: 'house-llm' } }],
    has_more: false,
  });

  await commands.run('alerts', 'off', 'unpriced_model', ...of);
  expect(await commands.run('alerts', 'list', '--state', 'open', ...of)).not.toContain('house-llm');
  expect(await commands.run('alerts', 'list', '--state', 'ended', ...of)).toContain('house-llm');
});

test('D20.3: the command line shows and changes settings, and turns kinds on and off', async () => {
  const settings = ['--setting', 'factor=2.5', '--setting', 'least_minutes=90'];
  expect(await commands.runJson('alerts', 'set', 'no_events', ...settings, ...of)).toMatchObject({
    kind: 'no_events',
    factor: 2.5,
    least_minutes: 90,
    enabled: true,
  });
  await commands.run('alerts', 'set', 'budget', '--setting', 'forecast=true', ...of);
  await commands.run('alerts', 'off', 'credit_ending', ...of);
  const shown = await commands.run('alerts', 'settings', ...of);
  expect(shown).toMatch(/no_events .*yes.*factor=2\.5, least_minutes=90/);
  expect(shown).toMatch(/budget .*yes.*forecast=true/);
  expect(shown).toMatch(/credit_ending .*no.*days=14/);
  expect(await commands.runJson('alerts', 'on', 'credit_ending', ...of)).toMatchObject({ enabled: true });

  expect(await commands.fail('alerts', 'set', 'budget', '--setting', 'days=3', ...of)).toContain('/days');
  expect(await commands.fail('alerts', 'set', 'no_events', '--setting', 'factor=much', ...of)).toContain('number');
  expect(await commands.fail('alerts', 'off', 'weather', ...of)).toContain('coverage_drop');
});
