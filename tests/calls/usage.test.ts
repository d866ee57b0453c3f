import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseMoney } from '../../src/lib/money.ts';
import { termNames, unitNames } from '../../src/lib/units.ts';
import { type Usage, type UsageBucket, usageBuckets } from '../../src/lib/usage-buckets.ts';
import { readUsage } from '../../src/usage/usage.ts';

const fixtures = new URL('../fixtures/provider-usage/', import.meta.url);

const fixture = z.strictObject({
  /** The page or file that documents the shape, and the version it is of. */
  documentation: z.url(),
  version: z.string().min(1),
  event: z.record(z.string(), z.unknown()),
  /** The buckets that are not 0. */
  usage: z.partialRecord(z.enum(usageBuckets), z.int().positive()),
  units: z.partialRecord(z.enum(unitNames), z.number().positive()).default({}),
  terms: z.partialRecord(z.enum(termNames), z.string()).default({}),
  /** The buckets of other models within the call that are not 0. */
  others: z
    .array(z.strictObject({ model: z.string(), usage: z.partialRecord(z.enum(usageBuckets), z.int().positive()) }))
    .default([]),
  /** What the provider charged, in US dollars. */
  cost: z.string().nullable().default(null),
  /** The paths of numbers that are not understood. */
  unread: z.array(z.string()).default([]),
  unknown: z.boolean().default(false),
});

function usageOf(buckets: Partial<Record<UsageBucket, number>>): Usage {
  const none = Object.fromEntries(usageBuckets.map((bucket) => [bucket, 0])) as Usage;
  return { ...none, ...buckets };
}

describe('what providers answer (D3.10, D26.4)', () => {
  const names = readdirSync(fixtures);

  it('has a fixture for every shape that D3.10 names', () => {
    const shapes = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'mistral', 'bedrock'];
    for (const shape of [...shapes, 'deepseek', 'xai', 'groq', 'perplexity', 'openrouter', 'litellm']) {
      expect(names.some((name) => name.startsWith(shape))).toBe(true);
    }
  });

  for (const name of names) {
    it(`reads ${name}`, () => {
      const expected = fixture.parse(JSON.parse(readFileSync(new URL(name, fixtures), 'utf8')));
      const counts = Object.values(expected.usage);
      expect(readUsage(expected.event)).toEqual({
        usage: counts.length === 0 ? null : usageOf(expected.usage),
        units: Object.fromEntries(Object.entries(expected.units).map(([unit, count]) => [unit, parseMoney(count)])),
        terms: expected.terms,
        others: expected.others.map(({ model, usage }) => ({ model, usage: usageOf(usage) })),
        cost: expected.cost === null ? null : parseMoney(expected.cost),
        unread: expected.unread,
        isUnknown: expected.unknown,
        flags: { isReadAsExcludingCache: false, hasUnusableCounts: false },
      });
    });
  }
});

it('takes the parts of an output for all of it where no total is sent (D3.10)', () => {
  const event = (details: Record<string, number>) => ({
    usage: { prompt_tokens: 5, completion_tokens_details: details },
  });
  expect(readUsage(event({ audio_tokens: 1, image_tokens: 2, reasoning_tokens: 8 })).usage).toEqual(
    usageOf({ input: 5, outputAudio: 1, outputImage: 2, reasoning: 8 }),
  );
  expect(readUsage(event({ image_tokens: 3 })).usage).toEqual(usageOf({ input: 5, outputImage: 3 }));
});

describe('flat counts (D3.10)', () => {
  const cases: [name: string, event: Record<string, unknown>, usage: Partial<Record<UsageBucket, number>>][] = [
    ['prompt and completion', { prompt_tokens: 412, completion_tokens: 87 }, { input: 412, output: 87 }],
    ['the aliases input and output', { input_tokens: 412, output_tokens: 87 }, { input: 412, output: 87 }],
    [
      'names before their aliases',
      { prompt_tokens: 5, input_tokens: 9, completion_tokens: 1, output_tokens: 2 },
      { input: 5, output: 1 },
    ],
    ['an alias where the name is null', { prompt_tokens: null, input_tokens: 9 }, { input: 9 }],
    ['zeros as usage', { prompt_tokens: 0, completion_tokens: 0 }, {}],
    ['a minus zero as zero', { prompt_tokens: -0, completion_tokens: 3 }, { output: 3 }],
    ['cached tokens as part of the prompt', { prompt_tokens: 100, cached_tokens: 60 }, { input: 40, cacheRead: 60 }],
    ['the alias of cached tokens', { prompt_tokens: 100, cache_read_tokens: 60 }, { input: 40, cacheRead: 60 }],
    [
      'cache writes as part of the prompt',
      { prompt_tokens: 100, cache_write_tokens: 30 },
      { input: 70, cacheWrite: 30 },
    ],
    [
      'a prompt that is all cache',
      { prompt_tokens: 100, cached_tokens: 70, cache_write_tokens: 30 },
      { cacheRead: 70, cacheWrite: 30 },
    ],
    ['audio as part of the prompt', { prompt_tokens: 100, input_audio_tokens: 80 }, { input: 20, inputAudio: 80 }],
    [
      'audio that must be cached',
      { prompt_tokens: 100, cached_tokens: 60, input_audio_tokens: 80 },
      { cacheRead: 20, inputAudio: 40, cacheReadAudio: 40 },
    ],
    ['audio beyond the prompt, cut', { prompt_tokens: 100, input_audio_tokens: 180 }, { inputAudio: 100 }],
    [
      'reasoning as part of the completion',
      { completion_tokens: 90, reasoning_tokens: 50 },
      { output: 40, reasoning: 50 },
    ],
    ['reasoning beyond the completion, cut', { completion_tokens: 90, reasoning_tokens: 500 }, { reasoning: 90 }],
    [
      'audio as part of the completion',
      { completion_tokens: 90, output_audio_tokens: 50 },
      { output: 40, outputAudio: 50 },
    ],
    [
      'audio and reasoning',
      { completion_tokens: 90, output_audio_tokens: 50, reasoning_tokens: 30 },
      { output: 10, outputAudio: 50, reasoning: 30 },
    ],
    [
      'parts without a completion count',
      { reasoning_tokens: 30, output_audio_tokens: 5 },
      { outputAudio: 5, reasoning: 30 },
    ],
    [
      'parts without a prompt count',
      { cached_tokens: 30, cache_write_tokens: 4, input_audio_tokens: 5 },
      { cacheRead: 30, cacheWrite: 4, inputAudio: 5 },
    ],
  ];
  for (const [name, event, usage] of cases) {
    it(`reads ${name}`, () => {
      expect(readUsage(event)).toMatchObject({
        usage: usageOf(usage),
        flags: { isReadAsExcludingCache: false, hasUnusableCounts: false },
      });
    });
  }

  it('reads a prompt that its cached and cache-write tokens exceed as excluding them, and says so', () => {
    expect(
      readUsage({ prompt_tokens: 100, cached_tokens: 90, cache_write_tokens: 11, completion_tokens: 1 }),
    ).toMatchObject({
      usage: usageOf({ input: 100, cacheRead: 90, cacheWrite: 11, output: 1 }),
      flags: { isReadAsExcludingCache: true, hasUnusableCounts: false },
    });
  });
});

describe('flat and nested counts together (D3.10)', () => {
  const anthropic = { input_tokens: 200, cache_read_input_tokens: 800, output_tokens: 50 };
  const cases: [name: string, event: Record<string, unknown>, usage: Partial<Record<UsageBucket, number>>][] = [
    [
      'flat totals before nested ones',
      { prompt_tokens: 412, completion_tokens: 87, usage: { prompt_tokens: 999, completion_tokens: 999 } },
      { input: 412, output: 87 },
    ],
    [
      'no parts of a nested total that the flat one contradicts',
      { prompt_tokens: 412, usage: { prompt_tokens: 999, prompt_tokens_details: { cached_tokens: 500 } } },
      { input: 412 },
    ],
    [
      'the parts of a nested total that the flat one repeats',
      { prompt_tokens: 999, usage: { prompt_tokens: 999, prompt_tokens_details: { cached_tokens: 500 } } },
      { input: 499, cacheRead: 500 },
    ],
    [
      "a repeated count by its provider's own convention",
      { input_tokens: 200, output_tokens: 50, usage: anthropic },
      { input: 200, cacheRead: 800, output: 50 },
    ],
    [
      'a flat part of a nested total',
      { cached_tokens: 300, usage: { prompt_tokens: 999, prompt_tokens_details: { cached_tokens: 500 } } },
      { input: 699, cacheRead: 300 },
    ],
    ['each side for itself', { completion_tokens: 7, usage: anthropic }, { input: 200, cacheRead: 800, output: 7 }],
    [
      '`usage` before `response.usage`',
      { usage: { prompt_tokens: 1 }, response: { usage: { prompt_tokens: 2 } } },
      { input: 1 },
    ],
    [
      'the next place when one reports nothing',
      { usage: { cost: 0.1 }, response: { usage: { prompt_tokens: 2 } } },
      { input: 2 },
    ],
    [
      'Gemini metadata under `usage`',
      { usage: { promptTokenCount: 3, candidatesTokenCount: 4 } },
      { input: 3, output: 4 },
    ],
  ];
  for (const [name, event, usage] of cases) {
    it(`reads ${name}`, () => {
      expect(readUsage(event).usage).toEqual(usageOf(usage));
    });
  }
});

describe("xAI's reasoning, which its completions leave out (D27.4)", () => {
  const details = { completion_tokens_details: { reasoning_tokens: 100 } };
  it.each([
    ['without a total', { completion_tokens: 420 }, { output: 420, reasoning: 100 }],
    ['with a total of neither', { completion_tokens: 420, total_tokens: 8_720 }, { output: 420, reasoning: 100 }],
    ['with a total of its own', { completion_tokens: 420, total_tokens: 550 }, { output: 420, reasoning: 100 }],
    ['where a gateway has added it', { completion_tokens: 420, total_tokens: 450 }, { output: 320, reasoning: 100 }],
    ['beyond the completion', { completion_tokens: 42, total_tokens: 872 }, { output: 42, reasoning: 100 }],
  ])('is on top %s', (_name, counts, output) => {
    const usage = { prompt_tokens: 30, ...counts, ...details };
    const read = readUsage({ model: 'grok-4.7', response: { usage } });
    expect(read.usage).toMatchObject(output);
    const isTold = 'total_tokens' in counts && counts.total_tokens > 600;
    expect(read.unread).toEqual(isTold ? ['response.usage.total_tokens'] : []);
  });
});

describe('reasoning on top of a completion (D3.10)', () => {
  const cases: [name: string, usage: Record<string, unknown>, output: Partial<Record<UsageBucket, number>>][] = [
    [
      'a part of the completion where the total of both sides leaves no room for more',
      {
        prompt_tokens: 10,
        completion_tokens: 50,
        total_tokens: 60,
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      { output: 20, reasoning: 30 },
    ],
    [
      'on top of it where the total says so',
      {
        prompt_tokens: 10,
        completion_tokens: 50,
        total_tokens: 90,
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      { output: 50, reasoning: 30 },
    ],
    [
      'on top of it where it is more than its whole',
      { prompt_tokens: 10, completion_tokens: 50, completion_tokens_details: { reasoning_tokens: 80 } },
      { output: 50, reasoning: 80 },
    ],
    [
      'cut to its whole where the total of both sides leaves no room for more',
      {
        prompt_tokens: 10,
        completion_tokens: 50,
        total_tokens: 60,
        completion_tokens_details: { reasoning_tokens: 80 },
      },
      { reasoning: 50 },
    ],
    [
      'what the total has beyond both sides',
      { prompt_tokens: 10, completion_tokens: 50, total_tokens: 100 },
      { output: 50, reasoning: 40 },
    ],
    [
      'nothing where the excess may be cached tokens',
      { prompt_tokens: 10, completion_tokens: 50, total_tokens: 100, cache_read_input_tokens: 40 },
      { output: 50 },
    ],
    ['nothing where a side is not reported', { completion_tokens: 50, total_tokens: 100 }, { output: 50 }],
  ];
  for (const [name, usage, output] of cases) {
    it(`is ${name}`, () => {
      const { output: text, reasoning } = usageOf(output);
      expect(readUsage({ model: 'gemini-3.8-flash', usage }).usage).toMatchObject({ output: text, reasoning });
    });
  }
});

describe('counts that can not be used (D3.4)', () => {
  const nothing = { usage: null, flags: { isReadAsExcludingCache: false, hasUnusableCounts: false } };
  const unusable: unknown[] = [
    '5',
    true,
    -1,
    1.5,
    1_000_000_001,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    [5],
    { count: 5 },
  ];

  for (const value of unusable) {
    it(`ignores a nested count of ${JSON.stringify(value)} and says so`, () => {
      const event = {
        usage: { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: value } },
      };
      expect(readUsage(event)).toMatchObject({
        usage: usageOf({ input: 10, output: 4 }),
        flags: { isReadAsExcludingCache: false, hasUnusableCounts: true },
      });
    });
  }

  it('believes no more of a long list than of one count', () => {
    const promptTokensDetails = Array.from({ length: 9 }, () => ({ modality: 'AUDIO', tokenCount: 1_000_000_000 }));
    expect(readUsage({ usageMetadata: { candidatesTokenCount: 1, promptTokensDetails } }).usage).toEqual(
      usageOf({ inputAudio: 1_000_000_000, output: 1 }),
    );
  });

  it('reads no usage from an event that reports none', () => {
    for (const event of [{}, { usage: null }, { usage: 'x' }, { usage: [] }, { response: 'text' }]) {
      expect(readUsage(event)).toMatchObject(nothing);
    }
  });

  it('says so too when nothing that is reported can be used', () => {
    for (const event of [
      { usage: { input_tokens: 'many' } },
      { response: { usage: { prompt_tokens: 'x' } } },
      { completion_tokens: -1 },
    ]) {
      expect(readUsage(event)).toMatchObject({ ...nothing, flags: { ...nothing.flags, hasUnusableCounts: true } });
    }
  });

  it('reads `__proto__` as an ordinary key', () => {
    expect(readUsage(JSON.parse('{"__proto__": {"prompt_tokens": 5}}')).usage).toBeNull();
    expect(readUsage(JSON.parse('{"usage": {"__proto__": {"prompt_tokens": 5}}}')).usage).toBeNull();
    expect(readUsage({ usage: Object.create({ prompt_tokens: 5 }) }).usage).toBeNull();
  });
});

describe('several usage objects of an event (D26.3)', () => {
  const chat = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

  it('say the same, or what differs from the first is unread', () => {
    const own = {
      input_tokens: 10,
      output_tokens: 5,
      service_tier: 'batch',
      server_tool_use: { web_search_requests: 3 },
    };
    expect(readUsage({ usage: chat, response: { usage: own } })).toMatchObject({
      usage: usageOf({ input: 10, output: 5 }),
      units: { web_searches: 3_000_000_000_000n },
      terms: { service_tier: 'batch' },
      unread: [],
    });
    expect(readUsage({ usage: chat, response: { usage: { ...own, output_tokens: 6 } } }).unread).toEqual([
      'response.usage.output_tokens',
    ]);
  });

  it('are unread where flat counts contradict them', () => {
    expect(readUsage({ prompt_tokens: 7, usage: chat }).unread).toEqual(['usage.prompt_tokens']);
    expect(readUsage({ prompt_tokens: 10, completion_tokens: 5, usage: chat }).unread).toEqual([]);
  });
});

it("D26: Google's lines of batches have the batch's terms, also where an event has their fields", () => {
  const response = { modelVersion: 'gemini-2.5-flash', usageMetadata: { promptTokenCount: 8, totalTokenCount: 8 } };
  const line = { status: '', processed_time: '2024-11-01T18:13:16.826+00:00', request: { contents: [] }, response };
  for (const event of [line, { response: line }, { response: { response, metadata: { key: 'request-1' } } }]) {
    expect(readUsage(event)).toMatchObject({ usage: { input: 8 }, terms: { service_tier: 'batch' } });
  }
  // The answer of an older SDK, and fields of the application's own.
  for (const event of [{ response: { response } }, { key: 'request-1', processed_time: '09:00', response }]) {
    expect(readUsage(event)).toMatchObject({ usage: { input: 8 }, terms: {} });
  }
});

it('D26: an answer that was kept under a key is no line of a batch', () => {
  const answer = { model: 'gpt-4o', usage: { prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 1_200 } };
  for (const response of [
    { key: 'request-1', body: answer },
    { recordId: 'r-1', message: answer },
  ]) {
    const { usage, terms } = readUsage({ response });
    expect(usage).toMatchObject({ input: 1_000, output: 200 });
    expect(terms).toEqual({});
  }
});
