import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Project } from '../../dashboard/src/api/types.ts';
import { findCommands, listFixed, toNamed, toViewCommands } from '../../dashboard/src/palette/commands.ts';
import { withView } from '../../dashboard/src/views/saved-views.ts';

const project: Project = {
  id: 'prj_1',
  name: 'Shop',
  type: 'revenue',
  timezone: 'UTC',
  pending_timezone: null,
  at_risk_below_pct: null,
  retention_days: null,
  keep_content: false,
  join_alike: true,
  tag_dimensions: [],
  kept_from: null,
  created_at: '2026-01-01T00:00:00.000Z',
};
const others = [{ ...project, id: 'prj_2', name: 'Backoffice' }];
const fixed = listFixed({ project, projects: [project, ...others], isAdmin: true, isOwner: true, at: '/' });
const labels = (typed: string, commands = fixed) =>
  findCommands(commands, typed).map(({ group, commands: found }) => [group, ...found.map(({ label }) => label)]);

test('D25: the palette finds pages, settings and projects by the start of a word, then by a part, then by other words', () => {
  expect(labels('cre')).toEqual([
    ['Pages', 'Credits'],
    ['Settings', 'Credit grants', 'Clients and their secrets'],
  ]);
  expect(labels('  BACK ')).toEqual([['Projects', 'Backoffice']]);
  expect(labels('webhook')).toEqual([['Settings', 'Where alerts are sent']]);
  expect(labels('nothing of this')).toEqual([]);
});

test('D25: saved views come first, by name, each with its own address', () => {
  const path = '/customers?view=Who+loses';
  const views = withView(withView([], { name: 'Who loses', path: '/' }), { name: 'By plan', path: '/plans' });
  const commands = [...toViewCommands(withView(views, { name: 'Who loses', path })), ...fixed];
  expect(labels('', commands)[0]).toEqual(['Views', 'By plan', 'Who loses']);
  expect(findCommands(commands, 'loses')[0]?.commands).toMatchObject([{ path }]);
});

test('D25: the group with the best of all comes first, and names lead to their page or to the overview of them', () => {
  const commands = [
    ...fixed,
    ...toNamed('customers', ['Credit Union', ''], '/plans'),
    ...toNamed('models', ['my-credit-model'], '/report'),
  ];
  expect(labels('credit u', commands)).toEqual([['Customers', 'Credit Union']]);
  expect(labels('credit-model', commands)).toEqual([['Models', 'my-credit-model']]);
  expect(labels('union', commands)[0]).toEqual(['Customers', 'Credit Union']);
  const search = { project: 'prj_1', range: '7d', models: ['old'], sort: '-cost', asked: 'rbd_1' } as const;
  const [customer, model] = commands.slice(fixed.length);
  expect(customer).toMatchObject({ to: '/customers/$name', params: { name: 'Credit Union' } });
  expect(model?.to).toBe('/');
  expect(model?.search(search)).toEqual({ project: 'prj_1', range: '7d', models: ['my-credit-model'] });
  // Days that a page began with are nobody's choice.
  const setting = listFixed({ project, projects: [], isAdmin: true, isOwner: true, at: '/plans' }).find(
    ({ label }) => label === 'Your own prices',
  );
  expect([customer, setting].map((command) => command?.search({ range: '13w' }).range)).toEqual([undefined, undefined]);
  expect(model?.search({ range: 'lm' }).range).toBeUndefined();
});

test('D25: the palette offers only what the session and the type of the project have', () => {
  const all = (type: Project['type'], isAdmin: boolean, isOwner = isAdmin) =>
    listFixed({
      project: { ...project, type },
      projects: isAdmin ? [project, ...others] : [project],
      isAdmin,
      isOwner,
      at: '/',
    }).map(({ label }) => label);
  expect(all('internal', true)).not.toContain('Revenue');
  expect(all('internal', true)).not.toContain('Stripe and exchange rates');
  expect(all('internal', true)).toContain('Users and metrics');
  expect(all('revenue', false)).not.toContain('API keys');
  expect(all('revenue', false)).not.toContain('Backoffice');
});

test('D25: every command is found by its own label, first of its group', () => {
  fc.assert(
    fc.property(fc.constantFrom(...fixed), ({ label, group }) => {
      const found = findCommands(fixed, label).find((one) => one.group === group);
      expect(found?.commands[0]?.label).toBe(label);
    }),
  );
});
