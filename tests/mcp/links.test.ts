// A link is read with the page's own parser: it must select what was asked.
import { defaultParseSearch } from '@tanstack/react-router';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSearch, type Search } from '../../dashboard/src/state/search.ts';
import { linkPath } from '../../src/lib/link-path.ts';
import { callTool } from '../../src/reports/mcp/call-tool.ts';
import { tools } from '../../src/reports/mcp/tools.ts';
import { fakeRoutes, okay, toolOf } from './fake-routes.ts';

/** The page and the search that a path selects, as the page reads them. */
function read(path: string): { steps: string[]; search: Search } {
  const { pathname, search } = new URL(path, 'https://farthing.example');
  const steps = pathname.split('/').slice(1).map(decodeURIComponent);
  return { steps, search: parseSearch(defaultParseSearch(search)) };
}

const written = (search: Search): Partial<Search> =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));

/** Where a question leads. */
function placeOf(name: string, asked: Record<string, unknown>, answer: Record<string, unknown> = {}) {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  const { steps, search } = tool.place(asked, answer);
  const place = read(linkPath(steps, search));
  return { steps: place.steps, search: written(place.search) };
}

test('the page reads every text, list and tag as it was written', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('1e3', 'true', 'null', '"a"', '007', '[1]', ' 1'),
  );
  const name = text.filter((one) => one !== '' && one.isWellFormed());
  fc.assert(
    fc.property(
      fc.record({ budget: name, q: name, customers: fc.array(name, { minLength: 1 }) }),
      fc.dictionary(
        name.filter((key) => key !== '__proto__'),
        fc.array(name, { minLength: 1 }),
        { minKeys: 1 },
      ),
      (texts, ctags) => {
        expect(written(read(linkPath(['budgets'], { ...texts, ctags })).search)).toEqual({ ...texts, ctags });
      },
    ),
  );
});

const days = { date_from: '2026-11-01', date_to: '2026-11-21' };
const shownDays = { from: '2026-11-01', to: '2026-11-21' };

test.each([
  [
    'costs',
    { ...days, aggregate: 'week', group_by: 'customer', customers: ['1', 'a/b'], customer_tags: { plan: 'pro' } },
    {
      steps: ['customers'],
      search: { ...shownDays, every: 'week', customers: ['1', 'a/b'], ctags: { plan: ['pro'] } },
    },
  ],
  [
    'costs',
    { ...days, aggregate: 'all', group_by: 'provider', apply_credits: true, include_shared: true, as_of: 'cls_1' },
    { steps: ['models'], search: { ...shownDays, by: 'provider', credits: true, shared: true, as_of: 'cls_1' } },
  ],
  [
    'costs',
    { ...days, group_by: 'tag:env', customer_tags: { plan: '' } },
    { steps: ['models'], search: { ...shownDays, by: 'tag:env', ctags: { plan: [''] } } },
  ],
  [
    'margin',
    { ...days, group_by: 'customer_tag:plan' },
    { steps: ['customers'], search: { ...shownDays, by: 'customer_tag:plan' } },
  ],
  ['changes', { ...days, group_by: 'tag:env' }, { steps: [''], search: { ...shownDays, changes: 'tag:env' } }],
  [
    'calls',
    { ...days, row: { date_from: '2026-11-05', date_to: '2026-11-06', group_by: 'tag:env', tag: '' } },
    { steps: ['calls'], search: { from: '2026-11-05', to: '2026-11-06', of: '["tag:env",""]' } },
  ],
  [
    'margin',
    { ...days, filter_customers_based_on_features: ['chat'] },
    { steps: [''], search: { ...shownDays, features: ['chat'] } },
  ],
  [
    'performance',
    { ...days, users: ['ann'], user_tags: { team: ['a', 'b'] } },
    { steps: ['users'], search: { ...shownDays, users: ['ann'], utags: { team: ['a', 'b'] } } },
  ],
  [
    'usage',
    { ...days, group_by: 'feature', run_tags: { a: 'b' } },
    { steps: ['features'], search: { ...shownDays, rtags: { a: ['b'] } } },
  ],
  [
    'plans',
    { ...days, aggregate: 'month', plan_tag: 'tier', target_margin_pct: 70 },
    { steps: ['plans'], search: { ...shownDays, every: 'month', sheet: { tag: 'tier', target: 70 } } },
  ],
  [
    'simulate_plans',
    { ...days, plans: [{ name: '1e3', customers: { names: ['a'] }, base_per_month: 34 }] },
    {
      steps: ['plans'],
      search: {
        ...shownDays,
        sheet: { plans: [{ name: '1e3', customers: { names: ['a'] }, base_per_month: 34 }] },
      },
    },
  ],
  ['changes', { ...days, models: ['m'] }, { steps: [''], search: { ...shownDays, models: ['m'] } }],
  [
    'calls',
    {
      ...days,
      customers: ['x'],
      order: 'oldest',
      row: { date_from: '2026-11-05', date_to: '2026-11-06', customer: '' },
    },
    { steps: ['calls'], search: { from: '2026-11-05', to: '2026-11-06', order: 'oldest', customers: [''] } },
  ],
  ['explain_call', { event_id: 'e 1', ordinal: 2 }, { steps: ['calls', 'e 1'], search: { q: '2' } }],
  ['budget', { name: '1e3' }, { steps: ['budgets'], search: { budget: '1e3' } }],
  [
    'reconciliation',
    { ...days, group_by: 'provider' },
    { steps: ['reconciliation'], search: { month: '2026-11', reconciled: 'provider' } },
  ],
  ['drift', { id: 'cls_1' }, { steps: ['closes'], search: { close: 'cls_1' } }],
])('D24.3: a link of %s shows what was asked', (name, asked, place) => {
  expect(placeOf(name, asked)).toEqual(place);
});

test('D24.3: coverage links to the days that it is of, which may be the default ones', () => {
  expect(placeOf('coverage', {}, days)).toEqual({ steps: [''], search: shownDays });
});

test('D24.3: a link names today where a question is up to today, and the project of an admin; a long one is left out', async () => {
  const ask = async (asked: Record<string, unknown>, project?: string) => {
    const routes = { ...fakeRoutes(() => okay({ rows: [], next_cursor: null, has_more: false })), project };
    const { content } = await callTool(toolOf('costs'), asked, routes);
    return Object(JSON.parse(content[0]?.type === 'text' ? content[0].text : '')).link as string | undefined;
  };
  expect(await ask({ date_from: '2026-11-01' })).toBe('https://farthing.example/?from=2026-11-01&to=2026-11-24');
  expect(await ask(days, 'prj_1')).toBe('https://farthing.example/?project=prj_1&from=2026-11-01&to=2026-11-21');
  expect(await ask({ ...days, customers: ['x'.repeat(2_000)] })).toBeUndefined();
});
