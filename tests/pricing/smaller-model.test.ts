import { expect, test } from 'vitest';
import { nameSmaller } from '../../src/pricing/books/smaller-model.ts';

test.each([
  ['gpt-4o', 'gpt-4o-mini'],
  ['gpt-4o-2024-08-06', 'gpt-4o-mini'],
  ['gpt-5', 'gpt-5-mini'],
  ['gpt-5-mini', 'gpt-5-nano'],
  ['gpt-4.1', 'gpt-4.1-mini'],
  ['o3', 'o3-mini'],
  ['claude-opus-4-5', 'claude-sonnet-4-5'],
  ['claude-sonnet-4-5-20250929', 'claude-haiku-4-5'],
  ['claude-3-5-sonnet-latest', 'claude-3-5-haiku'],
  ['gemini-2.5-pro', 'gemini-2.5-flash'],
  ['Gemini-2.5-Flash', 'gemini-2.5-flash-lite'],
])('D25: the next smaller model of %s is %s', (model, smaller) => {
  expect(nameSmaller(model)).toBe(smaller);
});

test.each(['gpt-4o-mini-tts', 'gpt-5-nano', 'claude-haiku-4-5', 'gemini-2.5-flash-lite', 'deepseek-chat', 'house', ''])(
  'D25: %s has no smaller model that its name tells',
  (model) => {
    expect(nameSmaller(model)).toBeUndefined();
  },
);
