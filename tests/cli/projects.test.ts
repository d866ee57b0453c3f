import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../support/client.ts';
import { commandsOf } from './as-admin.ts';

const farthing = sharedFarthing();
const commands = commandsOf(farthing);

test('D13.2: a rebuild is followed to its end, or only asked for', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1.25 }), costEvent({ cost: 2 }));
  expect(await project.totalCost()).toBe(3.25);
  const text = await commands.run('rebuild', '--project', project.id);
  expect(text).toMatch(/rebuild .*before .*after/);
  expect(text).toMatch(/rbd_\w+ +│ \$3\.25 +│ \$3\.25/);
  expect(await project.totalCost()).toBe(3.25);
  const [asked, askedText] = await Promise.all([
    commands.runJson('rebuild', '--no-wait', '--project', project.id),
    commands.run('rebuild', '--no-wait', '--project', project.id),
  ]);
  expect(asked).toEqual({ id: expect.stringMatching(/^rbd_/) });
  expect(askedText).toMatch(/^Queued the rebuild rbd_\w+\.\n$/);
  expect(await commands.fail('rebuild', '--project', 'prj_none')).toMatch(
    /^There is no project with this id; .* projects list shows all\.$/,
  );
  // As help shortens it.
  expect(await commands.fail('keys', 'list', '--project', 'prj_…')).toMatch(/^An id or a token .* give all of it\.$/);
});

test('D2: a project is changed, and a new timezone is waited for', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1, timestamp: '2024-05-15T22:00:00Z' }));
  const change = ['projects', 'change', project.id];
  const changed = await commands.runJson(
    ...change,
    '--name',
    'Renamed',
    '--at-risk-below-pct',
    '-5.5',
    '--timezone',
    'Asia/Kolkata',
  );
  expect(changed).toMatchObject({
    name: 'Renamed',
    at_risk_below_pct: -5.5,
    timezone: 'Asia/Kolkata',
    pending_timezone: null,
  });
  const [row] = await project.allCosts({ date_from: '2024-05-16', date_to: '2024-05-16' });
  expect(row?.cost).toBe(1);
  expect(await commands.run(...change, '--at-risk-below-pct', 'none')).toMatch(/Renamed .* Asia\/Kolkata .* – /);
  const asked = Object(await commands.runJson(...change, '--timezone', 'Europe/Berlin', '--no-wait'));
  expect([asked.timezone, asked.pending_timezone]).toContain('Europe/Berlin');

  const [nothing, noNumber, noTimezone] = await Promise.all([
    commands.fail(...change),
    commands.fail(...change, '--at-risk-below-pct', 'low'),
    commands.fail(...change, '--timezone', 'Mars/Phobos'),
  ]);
  expect(nothing).toBe(
    'Give something to change: --name, --timezone, --at-risk-below-pct, --retention-days, --keep-content, --join-alike or --tag-dimensions.',
  );
  expect(noNumber).toBe('--at-risk-below-pct must be a number or none, not low.');
  expect(noTimezone).toContain('timezone: must be the name of a timezone');
  expectStatus(await farthing.admin('DELETE', `${project.adminPath}/`), 204);
  expect(await commands.fail(...change, '--name', 'x')).toContain('There is no project with this id; ');
});

test('D2: how long events are kept is said when a project is made, and changed only with --yes', async () => {
  const made = Object(
    await commands.runJson('projects', 'create', 'Kept', '--retention-days', '400', '--keep-content'),
  );
  expect(made).toMatchObject({ name: 'Kept', retention_days: 400, kept_from: null, keep_content: true });
  const change = ['projects', 'change', made.id];
  const line = await commands.fail(...change, '--retention-days', '30');
  expect(line).toContain(`deletes the events and calls of ${made.id} that are older than 30 days`);
  const [kept, forEver, noNumber] = [
    await commands.run(...change, '--retention-days', '30', '--yes'),
    await commands.runJson(...change, '--retention-days', 'none', '--no-join-alike', '--tag-dimensions', 'team, env'),
    await commands.fail(...change, '--retention-days', 'long'),
  ];
  expect(kept).toMatch(/Kept .* 30 days /);
  expect(forEver).toMatchObject({ retention_days: null, join_alike: false, tag_dimensions: ['env', 'team'] });
  expect(noNumber).toBe('--retention-days must be a whole number or none, not long.');
});
