import { expect, test } from 'vitest';
import { filtersOfCalls, readTagOfCalls } from '../../dashboard/src/calls/tag-of-calls.ts';

test('D28.2: every value of a tag leads to its calls, by a filter or by the row', () => {
  expect(filtersOfCalls('customer', '')).toEqual({ customers: [''] });
  expect(filtersOfCalls('customer_tag:plan', '')).toEqual({ ctags: { plan: [''] } });
  expect(filtersOfCalls('user_tag:team', 'a')).toBe(undefined);
  for (const value of ['prod', '', '"]', '7']) {
    const asked = filtersOfCalls('tag:a:b', value) ?? {};
    expect(readTagOfCalls(asked)).toEqual({ group: 'tag:a:b', value });
  }
  for (const asked of [undefined, '', 'openai', '[]', '["customer","x"]', '["tag:env",7]', '{}', 'null']) {
    expect(readTagOfCalls({ of: asked })).toBe(undefined);
  }
});
