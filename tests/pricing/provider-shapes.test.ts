// From random usage objects, written as each provider documents its own, to what the calls cost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json-object.ts';
import type { Terms, UnitName, Units } from '../../src/lib/units.ts';
import type { Usage } from '../../src/lib/usage-buckets.ts';
import { calcCost } from '../../src/pricing/cost.ts';
import { spellings } from '../../src/pricing/model-names.ts';
import { readUsage } from '../../src/usage/usage.ts';
import { usualOrLong } from '../support/effort.ts';
import { modelCost } from './list-price-model.ts';
import { listModels, supplementsOf } from './listed-models.ts';
import { callOf, openInstalledBook, usageOf } from './support.ts';

/** What a call used, before a provider says it in its own way. */
type Used = {
  readonly tokens: Usage;
  readonly searches: number;
  readonly terms: Terms;
};

type Shape = {
  /** The catalogue's name of the provider. */
  readonly provider: string;
  readonly models: RegExp;
  /** The buckets that the provider tells apart. */
  readonly buckets: readonly (keyof Usage)[];
  readonly terms?: Readonly<Partial<Record<keyof Terms, readonly string[]>>>;
  readonly canSearch?: boolean;
  readonly write: (used: Used) => JsonObject;
};

const shapes: Readonly<Record<string, Shape>> = {
  'OpenAI chat': {
    provider: 'openai',
    models: /^gpt-4o/,
    buckets: ['input', 'cacheRead', 'inputAudio', 'output', 'reasoning', 'outputAudio'],
    terms: { service_tier: ['default', 'flex', 'priority', 'batch', 'scale'] },
    write: ({ tokens, terms }) => {
      const prompt = tokens.input + tokens.cacheRead + tokens.inputAudio;
      const completion = tokens.output + tokens.reasoning + tokens.outputAudio;
      return {
        response: {
          ...terms,
          usage: {
            prompt_tokens: prompt,
            completion_tokens: completion,
            total_tokens: prompt + completion,
            prompt_tokens_details: { cached_tokens: tokens.cacheRead, audio_tokens: tokens.inputAudio },
            completion_tokens_details: { reasoning_tokens: tokens.reasoning, audio_tokens: tokens.outputAudio },
          },
        },
      };
    },
  },
  'OpenAI responses': {
    provider: 'openai',
    models: /^(?:gpt-[4-6]|o[34])/,
    buckets: ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning'],
    terms: { service_tier: ['default', 'flex', 'priority', 'batch', 'scale'] },
    canSearch: true,
    write: ({ tokens, searches, terms }) => {
      const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite;
      const completion = tokens.output + tokens.reasoning;
      return {
        response: {
          object: 'response',
          ...terms,
          output: Array.from({ length: searches }, (_, index) => ({
            type: 'web_search_call',
            id: `ws_${index}`,
            status: 'completed',
            action: { type: 'search', query: 'weather' },
          })),
          usage: {
            input_tokens: prompt,
            input_tokens_details: { cached_tokens: tokens.cacheRead, cache_write_tokens: tokens.cacheWrite },
            output_tokens: completion,
            output_tokens_details: { reasoning_tokens: tokens.reasoning },
            total_tokens: prompt + completion,
          },
        },
      };
    },
  },
  Anthropic: {
    provider: 'anthropic',
    models: /^claude-/,
    buckets: ['input', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'output'],
    terms: { service_tier: ['standard', 'batch', 'priority'], speed: ['standard', 'fast'], geo: ['us', 'global'] },
    canSearch: true,
    write: ({ tokens, searches, terms: { geo, ...terms } }) => ({
      response: {
        usage: {
          input_tokens: tokens.input,
          cache_read_input_tokens: tokens.cacheRead,
          cache_creation_input_tokens: tokens.cacheWrite + tokens.cacheWrite1h,
          cache_creation: {
            ephemeral_5m_input_tokens: tokens.cacheWrite,
            ephemeral_1h_input_tokens: tokens.cacheWrite1h,
          },
          output_tokens: tokens.output,
          server_tool_use: { web_search_requests: searches },
          ...terms,
          ...(geo !== undefined && { inference_geo: geo }),
        },
      },
    }),
  },
  Gemini: {
    provider: 'google',
    models: /^gemini-/,
    buckets: ['input', 'cacheRead', 'output', 'reasoning'],
    write: ({ tokens }) => ({
      usageMetadata: {
        promptTokenCount: tokens.input + tokens.cacheRead,
        cachedContentTokenCount: tokens.cacheRead,
        candidatesTokenCount: tokens.output,
        thoughtsTokenCount: tokens.reasoning,
        totalTokenCount: tokens.input + tokens.cacheRead + tokens.output + tokens.reasoning,
      },
    }),
  },
  'Bedrock Converse': {
    provider: 'aws',
    models: /claude|nova/,
    buckets: ['input', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'output'],
    write: ({ tokens }) => ({
      response: {
        usage: {
          inputTokens: tokens.input,
          outputTokens: tokens.output,
          cacheReadInputTokens: tokens.cacheRead,
          cacheWriteInputTokens: tokens.cacheWrite + tokens.cacheWrite1h,
          cacheDetails: [
            { ttl: '5m', inputTokens: tokens.cacheWrite },
            { ttl: '1h', inputTokens: tokens.cacheWrite1h },
          ],
          totalTokens: tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite + tokens.cacheWrite1h,
        },
      },
    }),
  },
  Mistral: {
    provider: 'mistral',
    models: /^(?:mistral|ministral|magistral)-/,
    buckets: ['input', 'cacheRead', 'output'],
    write: ({ tokens }) => ({
      usage: {
        prompt_tokens: tokens.input + tokens.cacheRead,
        completion_tokens: tokens.output,
        total_tokens: tokens.input + tokens.cacheRead + tokens.output,
        num_cached_tokens: tokens.cacheRead,
      },
    }),
  },
  Cohere: {
    provider: 'cohere',
    models: /^command/,
    buckets: ['input', 'output'],
    write: ({ tokens }) => ({
      response: { usage: { billed_units: { input_tokens: tokens.input, output_tokens: tokens.output } } },
    }),
  },
  xAI: {
    provider: 'x-ai',
    models: /^grok-/,
    buckets: ['input', 'cacheRead', 'output', 'reasoning'],
    write: ({ tokens }) => ({
      usage: {
        prompt_tokens: tokens.input + tokens.cacheRead,
        completion_tokens: tokens.output,
        total_tokens: tokens.input + tokens.cacheRead + tokens.output + tokens.reasoning,
        prompt_tokens_details: { cached_tokens: tokens.cacheRead },
        completion_tokens_details: { reasoning_tokens: tokens.reasoning },
      },
    }),
  },
  DeepSeek: {
    provider: 'deepseek',
    models: /^deepseek-/,
    buckets: ['input', 'cacheRead', 'output', 'reasoning'],
    write: ({ tokens }) => ({
      usage: {
        prompt_tokens: tokens.input + tokens.cacheRead,
        completion_tokens: tokens.output + tokens.reasoning,
        total_tokens: tokens.input + tokens.cacheRead + tokens.output + tokens.reasoning,
        prompt_cache_hit_tokens: tokens.cacheRead,
        prompt_cache_miss_tokens: tokens.input,
        completion_tokens_details: { reasoning_tokens: tokens.reasoning },
      },
    }),
  },
  Groq: {
    provider: 'groq',
    models: /gpt-oss|llama|qwen/,
    buckets: ['input', 'cacheRead', 'output', 'reasoning'],
    terms: { service_tier: ['on_demand', 'flex', 'batch', 'performance'] },
    write: ({ tokens, terms }) => ({
      response: {
        ...terms,
        usage: {
          queue_time: 0.026,
          prompt_tokens: tokens.input + tokens.cacheRead,
          prompt_time: 0.009,
          completion_tokens: tokens.output + tokens.reasoning,
          total_tokens: tokens.input + tokens.cacheRead + tokens.output + tokens.reasoning,
          total_time: 5.58,
          prompt_tokens_details: { cached_tokens: tokens.cacheRead },
          completion_tokens_details: { reasoning_tokens: tokens.reasoning },
        },
      },
    }),
  },
  Perplexity: {
    provider: 'perplexity',
    models: /^sonar/,
    buckets: ['input', 'output'],
    terms: { search_context_size: ['low', 'medium', 'high', 'boundless'] },
    write: ({ tokens, terms }) => ({
      response: {
        usage: {
          prompt_tokens: tokens.input,
          completion_tokens: tokens.output,
          total_tokens: tokens.input + tokens.output,
          ...terms,
        },
      },
    }),
  },
  'AI SDK, model usage of version 4': {
    provider: 'openai',
    models: /^gpt-/,
    buckets: ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning'],
    write: ({ tokens }) => ({
      usage: {
        inputTokens: {
          total: tokens.input + tokens.cacheRead + tokens.cacheWrite,
          noCache: tokens.input,
          cacheRead: tokens.cacheRead,
          cacheWrite: tokens.cacheWrite,
        },
        outputTokens: {
          total: tokens.output + tokens.reasoning,
          text: tokens.output,
          reasoning: tokens.reasoning,
        },
      },
    }),
  },
};

const book = openInstalledBook();
const models = listModels();

const count = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 600_000 }));

function someUsed({ buckets, terms = {}, canSearch = false }: Shape): fc.Arbitrary<Used> {
  const values = Object.entries(terms).map(([name, some]) => [name, fc.constantFrom(...some)] as const);
  return fc.record({
    tokens: fc.record(Object.fromEntries(buckets.map((bucket) => [bucket, count]))).map(usageOf),
    searches: canSearch ? fc.nat({ max: 4 }) : fc.constant(0),
    terms: fc.record(Object.fromEntries(values), { requiredKeys: [] }),
  });
}

const unitsOf = (searches: number): Units =>
  searches === 0 ? {} : ({ web_searches: BigInt(searches) * 10n ** 12n } satisfies { [unit in UnitName]?: bigint });

describe('what calls cost by the usage that their provider writes', () => {
  it.each(Object.entries(shapes))(
    'D26.1, D26.3: the cost of %s is that of an independent calculation, or the call says what has no price',
    (_name, shape) => {
      const listed = models.filter(({ provider, model }) => provider === shape.provider && shape.models.test(model));
      expect(listed.length).toBeGreaterThan(2);
      fc.assert(
        fc.property(fc.constantFrom(...listed), someUsed(shape), ({ provider, model, entry }, used) => {
          const { usage, units, terms, unread } = readUsage(shape.write(used));
          expect(unread).toEqual([]);
          const { cost, source, partlyPriced } = calcCost(callOf({ provider, model, usage, units, terms }), book);
          const expected = modelCost({
            entry,
            provider,
            names: [...spellings(provider, model.toLowerCase())],
            supplements: supplementsOf(provider),
            time: callOf().time,
            usage: used.tokens,
            units: unitsOf(used.searches),
            terms: used.terms,
          });
          expect(source === 'unpriced' ? null : { cost, partlyPriced }).toEqual(expected);
        }),
        { numRuns: usualOrLong(60, 150) },
      );
    },
  );
});
