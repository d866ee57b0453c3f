import { expect, test } from 'vitest';
import { addRequested, geoOfModel } from '../../src/usage/model-geo.ts';

test.each([
  ['projects/p/locations/europe-west4/publishers/google/models/gemini-3.8-flash', 'europe-west4'],
  ['projects/p/locations/global/publishers/google/models/gemini-3.8-flash', 'global'],
  ['arn:aws:bedrock:eu-central-1::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0', 'eu-central-1'],
  ['bedrock/ap-northeast-1/anthropic.claude-v2', 'ap-northeast-1'],
  ['bedrock_mantle/us-gov-east-1/nvidia.nemotron-nano-3-30b', 'us-gov-east-1'],
  ['azure/us/gpt-5.6-sol', 'us'],
  ['azure/eu/gpt-5.6-sol', 'eu'],
  ['eu/gpt-5.6-sol', 'eu'],
  ['azure/global/gpt-5.6-sol', 'global'],
  ['azure/global-standard/gpt-5.6-sol', 'global'],
] as const)('D26.1: the region in %s is the term geo', (model, geo) => {
  expect(geoOfModel(model)).toBe(geo);
});

test.each([
  'gpt-5',
  'openai/gpt-5',
  'publishers/google/models/gemini-3.8-flash',
  // The name of a profile of several regions has a price of its own.
  'us.anthropic.claude-opus-4-6-v1',
  'arn:aws:bedrock:us-east-1:123456789012:inference-profile/global.anthropic.claude-opus-5-5',
  'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-5-5',
])('D26.1: %s names no region of its own', (model) => {
  expect(geoOfModel(model)).toBeUndefined();
});

test.each([
  ['projects/p/locations/us-east5/publishers/anthropic/models/claude-opus-5', 'claude-opus-5', 'us-east5'],
  ['azure/us/gpt-4.1-mini', 'gpt-4.1-mini-2025-04-14', 'us'],
  ['azure/eu/of-my-team', 'gpt-4.1-mini', 'eu'],
  ['azure/us/gpt-4.1-mini', 'azure/eu/gpt-4.1-mini', undefined],
  ['gpt-4.1-mini', 'gpt-4.1-mini-2025-04-14', undefined],
])('D26.1: a request of %s that %s answers has the region of either name', (requested, answered, geo) => {
  expect(addRequested(answered, [requested])).toEqual({ model: answered, geo });
});

test.each([
  ['global.anthropic.claude-opus-4-6-v1', 'claude-opus-4-6', 'global.anthropic.claude-opus-4-6-v1'],
  ['us.amazon.nova-lite-v1:0', 'amazon.nova-lite-v1:0', 'us.amazon.nova-lite-v1:0'],
  ['eu.anthropic.claude-opus-4-6-v1', 'claude-haiku-4-5', 'claude-haiku-4-5'],
])('D26.1: a request of the profile %s that %s answers is of %s', (profile, answered, model) => {
  const arn = `arn:aws:bedrock:us-east-1:1:inference-profile/${profile}`;
  for (const requested of [profile, arn]) expect(addRequested(answered, [requested])).toEqual({ model });
});

test.each([
  ['gpt-4o-2024-05-13', 'gpt-4o', 'gpt-4o-2024-05-13'],
  ['openai/gpt-4o-2024-05-13', 'gpt-4o', 'gpt-4o-2024-05-13'],
  ['gpt-4o', 'gpt-4o-2024-05-13', 'gpt-4o-2024-05-13'],
  ['gpt-4o-mini-2024-07-18', 'gpt-4o', 'gpt-4o'],
])('D16.2: of a request of %s that %s answers, the name with more detail counts: %s', (requested, answered, model) => {
  expect(addRequested(answered, [requested])).toEqual({ model });
});
