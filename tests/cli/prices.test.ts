import { beforeAll, expect, test } from 'vitest';
import { type Project, sharedFarthing, tokenEvent } from '../support/client.ts';
import { commandsOf } from './as-admin.ts';

const farthing = sharedFarthing();
const commands = commandsOf(farthing);
let project: Project;
let of: string[];

beforeAll(async () => {
  project = await farthing.createProject();
  of = ['--project', project.id];
});

test('D13.2: price overrides are set, listed, explained and deleted', async () => {
  const set = ['prices', 'set', 'house-llm*', '--input', '0.123456', '--output', '1.5', ...of];
  const named = ['--unit', 'web_searches=0.25', '--unit', 'images=0.04', '--term', 'geo=us'];
  const made = Object(await commands.runJson(...set, '--cache-read', '0.01', '--per-request', '0.5', ...named));
  expect(made).toMatchObject({
    model: 'house-llm*',
    input_per_mtok: 0.123456,
    output_per_mtok: 1.5,
    cache_read_per_mtok: 0.01,
    reasoning_per_mtok: null,
    per_request: 0.5,
    units: { web_searches: 0.25, images: 0.04 },
    terms: { geo: 'us' },
  });
  expect(await commands.fail(...set, '--unit', 'web_searches')).toContain('name=value');
  const second = await commands.run(
    'prices',
    'set',
    'm2',
    '--input',
    '1',
    '--output',
    '2',
    '--provider',
    'us',
    '--from',
    '2026-01-01',
    '--to',
    '2026-12-31',
    '--service-tier',
    'batch',
    ...of,
  );
  expect(second).toMatch(/m2 .* us .* batch .* 2026-01-01 .* 2026-12-31 /);

  const [listed, shown, explained, explainedText] = await Promise.all([
    commands.runJson('prices', 'list', ...of),
    commands.run('prices', ...of),
    commands.runJson('prices', 'explain', 'house-llm-2', '--at', '2026-03-12', '--term', 'geo=us', ...of),
    commands.run('prices', 'explain', 'claude-sonnet-4-5', ...of),
  ]);
  expect(Object(listed).prices).toHaveLength(2);
  expect(Object(listed).prices[0]).toEqual(made);
  expect(shown).toContain('cache_read 0.01, per_request 0.5, web_searches 0.25, images 0.04');
  expect(explained).toMatchObject({
    source: { kind: 'override', override_id: made.id },
    at: '2026-03-12T00:00:00.000Z',
  });
  expect(explainedText).toMatch(
    /^claude-sonnet-4-5 of anthropic at .*: catalogue \S+, entry anthropic\/claude-sonnet-4-5/,
  );
  expect(explainedText).toContain('prompt above 200,000');
  expect(explainedText).toMatch(/│ service_tier: batch +│ × 0.5 +│ https:/);
  expect(explainedText).toMatch(/│ web_searches +│ 0.01 +│ +│ https:/);
  expect(explainedText).toMatch(/│ cache_read +│ 0.3 +│/);

  expect(await commands.run('prices', 'delete', made.id, ...of)).toBe(`Deleted ${made.id}.\n`);
  const [gone, unknown, badRate] = await Promise.all([
    commands.fail('prices', 'delete', made.id, ...of),
    commands.fail('prices', 'explain', 'nobody-knows', ...of),
    commands.fail('prices', 'set', 'm', '--input', 'much', '--output', '-1', ...of),
  ]);
  expect(gone).toBe('This project has no price override with this id.');
  expect(unknown).toContain('There is no price for the model "nobody-knows"');
  expect(badRate).toMatch(/input_per_mtok: must be .*output_per_mtok: must be/);
});

test('D5.5: reprice shows what would change, and changes it only with --apply', async () => {
  const days = ['prices', 'reprice', '--from', '2024-05-01', '--to', '2024-05-31', ...of];
  const call = (customer: string) => tokenEvent({ model: 'new-llm', prompt_tokens: 1_000_000, tags: { customer } });
  await project.post(call('acme'), call('acme'), call('\u001b[31mred'));
  expect(await commands.run(...days)).not.toContain('new-llm');
  await project.addPrice({ model: 'new-llm', input_per_mtok: 2, output_per_mtok: 0 });

  const text = await commands.run(...days);
  expect(text).toMatch(/2024-05-01 to 2024-05-31 .*before .*after .*difference/);
  expect(text).toMatch(/all calls +│ \$0\.00 +│ \$6\.00 +│ \$6\.00/);
  expect(text).toMatch(/2024-05-15 +│ \$0\.00 +│ \$6\.00/);
  expect(text).toMatch(/new-llm +│ \$0\.00 +│ \$6\.00/);
  expect(text).toMatch(/acme +│ \$0\.00 +│ \$4\.00/);
  expect(text).toContain('□[31mred');
  expect(text).toContain('Nothing has changed');
  expect(await project.totalCost()).toBe(0);

  const applied = await commands.runJson(...days, '--apply');
  expect(applied).toMatchObject({ state: 'done', dry_run: false, before: 0, after: 6 });
  expect(await project.totalCost()).toBe(6);
  expect(await commands.fail('prices', 'reprice', '--from', '2026-06-01', '--to', '2026-05-01', ...of)).toBe(
    '--from must not be after --to, 2026-05-01.',
  );
});

test('D22: reprice answers what if, with margins and the calls that keep their cost', async () => {
  const asked = await farthing.createProject();
  await asked.addPrice({ model: 'big', input_per_mtok: 4, output_per_mtok: 0 });
  await asked.addPrice({ model: 'small', input_per_mtok: 1, output_per_mtok: 0 });
  const call = (fields = {}) =>
    tokenEvent({ model: 'big', prompt_tokens: 1_000_000, tags: { customer: 'acme' }, ...fields });
  await asked.post(call(), call(), call({ cost: 7 }));
  const entry = {
    external_id: 'r1',
    customer: 'acme',
    amount: 10,
    date_from: '2024-05-15',
    date_to: '2024-05-15',
  };
  expect((await asked.api('POST', '/api/revenue/', { entries: [entry] })).status).toBe(200);
  const days = ['prices', 'reprice', '--from', '2024-05-01', '--to', '2024-05-31', '--project', asked.id];

  const text = await commands.run(...days, '--assume-model', 'big=small');
  expect(text).toMatch(/all calls +│ \$15\.00 +│ \$9\.00 +│ -\$6\.00/);
  expect(text).toMatch(/customer +│ revenue +│ margin before +│ margin after/);
  expect(text).toMatch(/acme +│ \$10\.00 +│ -\$5\.00 +│ \$1\.00/);
  expect(text).toMatch(/big +│ 1 +│ \$7\.00 +│ their events say what they cost/);
  expect(text).toContain('Nothing has changed: this was a what-if.');

  const override = JSON.stringify({ model: 'big', input_per_mtok: 2, output_per_mtok: 0, cache_read_per_mtok: 0 });
  const more = ['--assume-cached-share', '0.5', '--assume-override', override];
  expect(await commands.runJson(...days, ...more)).toMatchObject({
    what_if: true,
    assume: { cached_share: 0.5, overrides: [{ model: 'big', input_per_mtok: 2 }] },
    after: 9,
  });
  expect(await commands.runJson(...days, '--assume-service-tier', 'batch')).toMatchObject({ after: 15 });
  expect(await commands.fail(...days, '--assume-model', 'big=smal')).toContain('smal has no price');
  expect(await commands.fail(...days, '--assume-model', 'big=small', '--apply')).toContain('dry_run: must be true');
  expect(await commands.fail(...days, '--assume-model', 'big')).toContain('model=model');
  expect(await commands.fail(...days, '--assume-override', '{')).toContain('must be JSON');
});
