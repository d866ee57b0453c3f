import { expect, test } from 'vitest';
import { geoOfModel } from '../../src/calls/model-geo.ts';

test.each([
  ['projects/p/locations/europe-west4/publishers/google/models/gemini-3.8-flash', 'europe-west4'],
  ['projects/p/locations/global/publishers/google/models/gemini-3.8-flash', 'global'],
  ['arn:aws:bedrock:eu-central-1::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0', 'eu-central-1'],
  ['bedrock/ap-northeast-1/anthropic.claude-v2', 'ap-northeast-1'],
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
