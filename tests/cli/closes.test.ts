import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { costEvent, type Project, sharedFarthing } from '../support/client.ts';
import { commandsOf } from './as-admin.ts';

const farthing = sharedFarthing();
const commands = commandsOf(farthing);
let project: Project;

beforeAll(async () => {
  project = await farthing.createProject();
});

test('D13.2, D19.1, D19.2: days are closed, listed, compared with now, and opened again', async () => {
  const of = ['--project', project.id];
  await project.post(costEvent({ cost: 1, tags: { customer: 'acme' } }));
  const made = z
    .object({ id: z.string(), through: z.literal('2024-05-31'), note: z.literal('May'), days: z.literal(1) })
    .parse(await commands.runJson('closes', 'create', '2024-05-31', '--note', 'May', ...of));
  expect(await commands.fail('closes', 'create', '2024-05-31', ...of)).toContain('2024-05-31');
  expect(await commands.run('closes', ...of)).toMatch(/cls_\w+ .* 2024-05-31 .* UTC .* 1 .* May /);

  await project.post(costEvent({ cost: 2, tags: { customer: 'acme' } }), costEvent({ cost: 4 }));
  expect(await commands.run('closes', 'drift', made.id, ...of)).toMatch(/2024-05-15 .* acme .* late events .* \$2\.00/);
  expect(
    await commands.runJson('closes', 'drift', made.id, '--from', '2024-05-15', '--to', '2024-05-15', ...of),
  ).toEqual({
    rows: [
      { day: '2024-05-15', customer: '', cause: 'late_events', cost: 4 },
      { day: '2024-05-15', customer: 'acme', cause: 'late_events', cost: 2 },
    ],
    totals: { cost: 6, revenue: 0, credits: 0 },
  });
  expect(await commands.run('closes', 'drift', made.id, '--group-by', 'cause', ...of)).toMatch(
    /cause .* cost [\s\S]* late events .* \$6\.00 /,
  );
  expect(await commands.runJson('closes', 'drift', made.id, '--group-by', 'customer', ...of)).toEqual({
    rows: [
      { customer: '', cost: 4 },
      { customer: 'acme', cost: 2 },
    ],
    totals: { cost: 6, revenue: 0, credits: 0 },
  });
  expect(await commands.fail('closes', 'delete', made.id, ...of)).toContain('Add --yes');
  expect(await commands.run('closes', 'delete', made.id, '--yes', ...of)).toContain(`Deleted ${made.id}.`);
  expect(await commands.fail('closes', 'drift', made.id, ...of)).toContain('no close with this id');
});
