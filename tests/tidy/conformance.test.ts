import { expect, test } from 'vitest';
import { findHolders, findTitles, readRules, readTestTitles } from '../../scripts/conformance.ts';

const groups = readRules();
const rules = groups.flatMap(({ rules: ofGroup }) => ofGroup);
const tests = readTestTitles();

test('every rule has a test', () => {
  const unheld = rules.filter((rule) => findHolders(rule, tests).length === 0);
  expect(unheld.map(({ id, heldBy }) => `${id} needs a test: ${heldBy.join(', ')}`)).toEqual([]);
});

test('every id in a title is the id of a rule', () => {
  const known = new Set(rules.flatMap(({ id }) => [id, id.split(' ')[0], id.split('.')[0]]));
  expect(
    tests.flatMap(({ path, title, ids }) => (ids.every((id) => known.has(id)) ? [] : [`${path}: ${title}`])),
  ).toEqual([]);
});

/** The number of decisions in each chapter. D2 has no numbers: its rules are rows of tables. */
const decisions = { 1: 6, 3: 11, 4: 7, 5: 7, 6: 7, 7: 4, 8: 5, 9: 3, 10: 3, 11: 3, 12: 1, 13: 3, 15: 5 };

const pageParameters = ['date_from', 'date_to', 'aggregate', 'group_by', 'apply_credits', 'limit', 'cursor'];
/** The rows of the tables of the specification, by section. */
const rows: Readonly<Record<string, readonly string[]>> = {
  '2.1': ['customer_name', 'tags'],
  '2.2': ['date_from', 'date_to', 'dimension', 'cost', 'avg_feature_run_cost', 'max_feature_run_cost'],
  '2.3': ['date_from', 'date_to', 'customer', 'revenue', 'cost', 'margin', 'margin_pct', 'risk_status'],
  '2.4': ['date_from', 'date_to', 'user', 'cost', 'key_metrics', 'value', 'total_cost', 'cost_per_unit'],
  '2.5': ['rows', 'next_cursor', 'has_more'],
  '2.6': [
    'event_id',
    'event_type',
    'model',
    'provider',
    'tags',
    'elapsed_ms',
    'prompt_tokens',
    'completion_tokens',
    'error_type',
    'error_message',
  ],
  '4.1': ['customers', 'upsert', 'ok', 'customers_updated'],
  '4.2': [
    ...pageParameters,
    'customers',
    'features',
    'models',
    'providers',
    'customer_tags',
    'run_tags',
    'tag filters',
  ],
  '4.3': [...pageParameters, 'customers', 'filter_customers_based_on_features', 'project type'],
  '4.4': [...pageParameters, 'users', 'filter_users_based_on_features', 'user_tags', 'project type'],
  '4.5': ['path', 'headers', 'body', 'order', 'answer'],
  '4.6': ['lists', 'success'],
  6: ['before', 'after', 'error', 'custom types', 'event_id'],
  7: ['margin', 'performance', 'customer tags'],
  8: ['customers', 'rows'],
};

test('every section and row of the specification and every decision is exactly one rule', () => {
  const ids = rules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const sections = new Set(ids.map((id) => id.split(/[ .]/)[0]));
  for (const section of ['1', '2', '3', '4', '5', '6', '7', '8', '9', 'D2']) expect(sections).toContain(section);
  const expected = [
    ...Object.entries(rows).flatMap(([section, names]) => names.map((name) => `${section} ${name}`)),
    ...Object.entries(decisions).flatMap(([chapter, count]) =>
      Array.from({ length: count }, (_, index) => `D${chapter}.${index + 1}`),
    ),
  ];
  expect(expected.filter((id) => !ids.includes(id))).toEqual([]);
});

test('findTitles finds titles and their ids', () => {
  const text = [
    "test('D1.2: a plain one', async () => {});",
    "it('cites its rule (D4.4)', () => {});",
    "test.each([['a', 1]])('4.2, D6.1: %s', () => {});",
    'test(\n  `2.6: over lines`,\n  () => {},\n);',
    "test('has none', () => {});",
    "expect(titleOf('D9.9: is no test')).toBe('');",
  ].join('\n');
  expect(findTitles('a.test.ts', text).map(({ title, ids }) => [title, ids])).toEqual([
    ['D1.2: a plain one', ['D1.2']],
    ['cites its rule (D4.4)', ['D4.4']],
    ['4.2, D6.1: %s', ['4.2', 'D6.1']],
    ['2.6: over lines', ['2.6']],
    ['has none', []],
  ]);
});
