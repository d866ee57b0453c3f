import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Usage, usageBuckets } from '../../src/lib/usage-buckets.ts';
import { readReportedCost, readUsage } from '../../src/usage/usage.ts';
import { usualOrLong } from '../support/effort.ts';

const maxTokens = 1_000_000_000;

/** Every name that a count is read by, and some that are near. */
const countNames = [
  'prompt_tokens',
  'completion_tokens',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'input_audio_tokens',
  'output_audio_tokens',
  'audio_tokens',
  'image_tokens',
  'total_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'ephemeral_1h_input_tokens',
  'ephemeral_5m_input_tokens',
  'promptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'cachedContentTokenCount',
  'toolUsePromptTokenCount',
  'tokenCount',
  'inputTokens',
  'outputTokens',
  'cacheReadInputTokens',
  'cacheWriteInputTokens',
  'cachedInputTokens',
  'reasoningTokens',
  'totalTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'prompt_token_count',
  'thoughts_token_count',
  'token_count',
  'citation_tokens',
  'cache_read',
  'cache_creation',
  'reasoning',
  '__proto__',
  'constructor',
  'modality',
  'ttl',
  'type',
];
const objectNames = [
  'usage',
  'response',
  'usageMetadata',
  'prompt_tokens_details',
  'completion_tokens_details',
  'input_tokens_details',
  'output_tokens_details',
  'input_token_details',
  'cached_tokens_details',
  'output_token_details',
  'cache_creation',
  'cache_creation_token_details',
  'billed_units',
  'inputTokenDetails',
  'outputTokenDetails',
  'usage_metadata',
  'promptTokensDetails',
  'cacheTokensDetails',
  'candidatesTokensDetails',
  'cacheDetails',
  'iterations',
];

/** Events made of the names that matter, with values of every kind and nested as deep as shapes are. */
const { event } = fc.letrec<{ event: Record<string, unknown>; value: unknown }>((tie) => ({
  event: fc.dictionary(fc.constantFrom(...countNames, ...objectNames), tie('value'), { maxKeys: 12 }),
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.nat({ max: 2000 }),
    fc.integer({ min: -5, max: maxTokens + 5 }),
    fc.constantFrom<unknown>(
      'AUDIO',
      'IMAGE',
      'VIDEO',
      '1h',
      'compaction',
      'text',
      null,
      true,
      1.5,
      Number.NaN,
      Number.NEGATIVE_INFINITY,
      -0,
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('event'),
  ),
}));

const count = fc.nat({ max: maxTokens });

function sumOf(usage: Usage, buckets: readonly (keyof Usage)[]): number {
  return buckets.reduce((sum, bucket) => sum + usage[bucket], 0);
}

const inputs = [
  'input',
  'cacheRead',
  'cacheWrite',
  'cacheWrite1h',
  'inputAudio',
  'cacheReadAudio',
  'inputImage',
  'cacheReadImage',
  'inputVideo',
] as const;
const outputs = ['output', 'reasoning', 'outputAudio', 'outputImage', 'outputVideo'] as const;

describe('usage laws', () => {
  it('reads any event without throwing, into whole buckets from 0 to 2 × 10⁹', () => {
    fc.assert(
      fc.property(fc.oneof(event, fc.dictionary(fc.string(), fc.jsonValue())), (posted) => {
        const { usage } = readUsage(posted);
        readReportedCost(posted);
        if (usage === null) return;
        expect(Object.keys(usage)).toEqual([...usageBuckets]);
        for (const bucket of usageBuckets) {
          const tokens = usage[bucket];
          expect(Number.isSafeInteger(tokens) && !Object.is(tokens, -0) && tokens >= 0 && tokens <= 2 * maxTokens).toBe(
            true,
          );
        }
      }),
      { numRuns: usualOrLong(800, 3000) },
    );
  });

  it('splits flat counts into buckets whose sum is what the event reports', () => {
    const flat = fc.record({
      prompt_tokens: count,
      completion_tokens: count,
      cached_tokens: count,
      cache_write_tokens: count,
      input_audio_tokens: count,
      reasoning_tokens: count,
      output_audio_tokens: count,
    });
    fc.assert(
      fc.property(flat, (posted) => {
        const { usage, flags } = readUsage(posted);
        if (usage === null) throw new Error('usage expected');
        const cache = posted.cached_tokens + posted.cache_write_tokens;
        const isExcluding = cache > posted.prompt_tokens;
        expect(flags.isReadAsExcludingCache).toBe(isExcluding);
        expect(sumOf(usage, inputs)).toBe(posted.prompt_tokens + (isExcluding ? cache : 0));
        expect(sumOf(usage, outputs)).toBe(posted.completion_tokens);
        expect(usage.cacheRead + usage.cacheReadAudio).toBe(posted.cached_tokens);
        expect(usage.cacheWrite).toBe(posted.cache_write_tokens);
        expect(usage.inputAudio + usage.cacheReadAudio).toBeLessThanOrEqual(posted.input_audio_tokens);
        expect(usage.reasoning).toBeLessThanOrEqual(posted.reasoning_tokens);
      }),
    );
  });

  it("adds Anthropic's cache counts to its input tokens, whatever they are", () => {
    const usage = fc.record({
      input_tokens: count,
      output_tokens: count,
      cache_read_input_tokens: count,
      cache_creation_input_tokens: count,
      cache_creation: fc.record({ ephemeral_1h_input_tokens: count }),
    });
    fc.assert(
      fc.property(usage, (posted) => {
        const { usage: split, flags } = readUsage({ usage: posted });
        expect(split?.input).toBe(posted.input_tokens);
        expect(split?.cacheRead).toBe(posted.cache_read_input_tokens);
        expect(split && split.cacheWrite + split.cacheWrite1h).toBe(posted.cache_creation_input_tokens);
        expect(split?.cacheWrite).toBeGreaterThanOrEqual(0);
        expect(flags.isReadAsExcludingCache).toBe(false);
      }),
    );
  });

  it("sums Gemini's counts to its total", () => {
    const part = fc.nat({ max: 1000 });
    const usage = fc.record({
      text: part,
      audio: part,
      cachedText: part,
      cachedAudio: part,
      toolUse: part,
      thoughts: part,
      visible: part,
    });
    fc.assert(
      fc.property(usage, (parts) => {
        const promptTokenCount = parts.text + parts.audio + parts.cachedText + parts.cachedAudio;
        const reading = readUsage({
          usageMetadata: {
            promptTokenCount,
            cachedContentTokenCount: parts.cachedText + parts.cachedAudio,
            toolUsePromptTokenCount: parts.toolUse,
            thoughtsTokenCount: parts.thoughts,
            candidatesTokenCount: parts.visible,
            promptTokensDetails: [{ modality: 'AUDIO', tokenCount: parts.audio + parts.cachedAudio }],
            cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: parts.cachedAudio }],
          },
        });
        expect(reading.usage).toMatchObject({
          input: parts.text + parts.toolUse,
          inputAudio: parts.audio,
          cacheRead: parts.cachedText,
          cacheReadAudio: parts.cachedAudio,
          output: parts.visible,
          reasoning: parts.thoughts,
        });
      }),
    );
  });
});
