import { expect, it } from 'vitest';
import { openAiUsage } from '../../src/ingest/imports/openai-usage.ts';
import { readUsage } from '../../src/usage/usage.ts';

/** A result of `OrganizationUsageCompletionsResult` of openai 7.59.0, in its bucket. */
const result = {
  ...{ object: 'organization.usage.completions.result', start_time: 1_768_435_200, end_time: 1_768_521_600 },
  ...{ model: 'gpt-6.2-sol', num_model_requests: 10, input_tokens: 10_000, output_tokens: 2_000 },
  ...{ input_cached_tokens: 1_000, input_uncached_tokens: 6_000, input_cache_write_tokens: 3_000 },
  ...{ input_cache_write_12h_tokens: 2_000, input_cache_write_30m_tokens: 1_000 },
};

function read(record: Record<string, unknown>) {
  const reading = openAiUsage.read(record);
  if (reading.kind !== 'calls') throw new Error('It has calls.');
  return reading.outcomes.map(({ id, usage }) => ({ id, reading: readUsage(usage) }));
}

it('D16.2: writes to the cache for twelve hours have their price, and those of agents are counted beside', () => {
  const [{ id, reading } = { id: '', reading: undefined }] = read(result);
  expect(reading).toMatchObject({
    usage: { input: 6_000, cacheRead: 1_000, cacheWrite: 1_000, cacheWrite1h: 2_000, output: 2_000 },
    unread: [],
  });
  expect(read({ ...result, api_source: 'agents_api' }).map((one) => one.id)).not.toEqual([id]);
});

it('D27.5: a count of an unknown name, and one that contradicts the others, are told', () => {
  const unread = (fields: Record<string, number>) => read({ ...result, ...fields })[0]?.reading.unread;
  expect(unread({ input_video_tokens: 5 })).toEqual(['openai_usage.input_video_tokens']);
  expect(unread({ input_uncached_tokens: 1 })).toEqual(['openai_usage.input_uncached_tokens']);
});
