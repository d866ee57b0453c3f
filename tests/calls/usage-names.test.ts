// Each count by every name that a provider, or a library before it, gives it (D3.10).
import { describe, expect, test } from 'vitest';
import { readUsage } from '../../src/usage/usage.ts';

type Buckets = Readonly<Record<string, number>>;

/** The buckets that are not 0, of a usage object at `usage`. */
function bucketsOf(usage: object, event: object = { usage }): Buckets {
  return Object.fromEntries(Object.entries(readUsage({ ...event }).usage ?? {}).filter(([, tokens]) => tokens !== 0));
}

/** Puts a value at a path of names: `a.b` is `{ a: { b: value } }`. */
const at = (path: string, value: unknown): Record<string, unknown> =>
  path
    .split('.')
    .toReversed()
    .reduce<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>;

/** What else is reported, the names that are the same, the count by them, and the buckets. */
type Alias = [rest: object, paths: readonly string[], count: unknown, buckets: Buckets];

const audio = [{ modality: 'AUDIO', tokenCount: 40 }];

const shapes: Readonly<Record<string, readonly Alias[]>> = {
  Gemini: [
    [{}, ['promptTokenCount', 'prompt_token_count'], 100, { input: 100 }],
    [{}, ['toolUsePromptTokenCount', 'tool_use_prompt_token_count'], 30, { input: 30 }],
    [
      {},
      ['candidatesTokenCount', 'responseTokenCount', 'candidates_token_count', 'response_token_count'],
      50,
      { output: 50 },
    ],
    [{}, ['thoughtsTokenCount', 'thoughts_token_count'], 20, { reasoning: 20 }],
    [{}, ['cachedContentTokenCount', 'cached_content_token_count'], 60, { cacheRead: 60 }],
    [
      { promptTokenCount: 100 },
      ['promptTokensDetails', 'prompt_tokens_details', 'toolUsePromptTokensDetails', 'tool_use_prompt_tokens_details'],
      audio,
      { input: 60, inputAudio: 40 },
    ],
    [
      {
        promptTokenCount: 100,
        cachedContentTokenCount: 60,
        promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 50 }],
      },
      ['cacheTokensDetails', 'cache_tokens_details'],
      audio,
      { input: 30, inputAudio: 10, cacheRead: 20, cacheReadAudio: 40 },
    ],
    [
      { candidatesTokenCount: 50 },
      ['candidatesTokensDetails', 'candidates_tokens_details', 'responseTokensDetails', 'response_tokens_details'],
      audio,
      { output: 10, outputAudio: 40 },
    ],
  ],
  'AI SDK': [
    [
      { inputTokens: 100 },
      ['inputTokenDetails.cacheReadTokens', 'cachedInputTokens'],
      60,
      { input: 40, cacheRead: 60 },
    ],
    [{ inputTokens: 100 }, ['inputTokenDetails.cacheWriteTokens'], 30, { input: 70, cacheWrite: 30 }],
    [
      { outputTokens: 50 },
      ['outputTokenDetails.reasoningTokens', 'reasoningTokens'],
      20,
      { output: 30, reasoning: 20 },
    ],
    [
      { inputTokens: 100, outputTokens: 50, totalTokens: 170 },
      ['reasoningTokens'],
      20,
      { input: 100, output: 50, reasoning: 20 },
    ],
  ],
  Bedrock: [
    [{}, ['inputTokens'], 100, { input: 100 }],
    [{}, ['outputTokens'], 50, { output: 50 }],
    [{ inputTokens: 100 }, ['cacheReadInputTokens', 'cacheReadInputTokenCount'], 60, { input: 100, cacheRead: 60 }],
    [{ inputTokens: 100 }, ['cacheWriteInputTokens', 'cacheWriteInputTokenCount'], 60, { input: 100, cacheWrite: 60 }],
    [
      { inputTokens: 100, cacheWriteInputTokens: 60 },
      ['cacheDetails'],
      [
        { ttl: '1h', inputTokens: 10 },
        { ttl: '5m', inputTokens: 20 },
        { ttl: '1h', inputTokens: 30 },
      ],
      { input: 100, cacheWrite: 20, cacheWrite1h: 40 },
    ],
  ],
  'OpenAI chat': [
    [{}, ['prompt_tokens'], 100, { input: 100 }],
    [{}, ['completion_tokens'], 50, { output: 50 }],
    [
      { prompt_tokens: 100 },
      [
        'prompt_tokens_details.cached_tokens',
        'prompt_cache_hit_tokens',
        'cache_read_input_tokens',
        'num_cached_tokens',
        'cached_tokens',
      ],
      60,
      { input: 40, cacheRead: 60 },
    ],
    [
      { prompt_tokens: 100 },
      [
        'prompt_tokens_details.cache_write_tokens',
        'prompt_tokens_details.cache_creation_tokens',
        'cache_creation_input_tokens',
      ],
      30,
      { input: 70, cacheWrite: 30 },
    ],
    [
      { prompt_tokens: 100, cache_creation_input_tokens: 30 },
      [
        'prompt_tokens_details.cache_creation_token_details.ephemeral_1h_input_tokens',
        'cache_creation.ephemeral_1h_input_tokens',
      ],
      20,
      { input: 70, cacheWrite: 10, cacheWrite1h: 20 },
    ],
    [
      { prompt_tokens: 100 },
      ['prompt_tokens_details.audio_tokens', 'prompt_tokens_details.audio'],
      40,
      { input: 60, inputAudio: 40 },
    ],
    [{ prompt_tokens: 100 }, ['prompt_tokens_details.image_tokens'], 40, { input: 60, inputImage: 40 }],
    [{ prompt_tokens: 100 }, ['prompt_tokens_details.video_tokens'], 40, { input: 60, inputVideo: 40 }],
    [
      { prompt_tokens: 100, cached_tokens: 60 },
      ['prompt_tokens_details.cached_tokens_details.audio_tokens'],
      20,
      { input: 40, cacheRead: 40, cacheReadAudio: 20 },
    ],
    [
      { prompt_tokens: 100, cached_tokens: 60 },
      ['prompt_tokens_details.cached_tokens_details.image_tokens'],
      20,
      { input: 40, cacheRead: 40, cacheReadImage: 20 },
    ],
    [{ completion_tokens: 50 }, ['completion_tokens_details.reasoning_tokens'], 20, { output: 30, reasoning: 20 }],
    [
      { completion_tokens: 50 },
      ['completion_tokens_details.audio_tokens', 'completion_tokens_details.audio'],
      20,
      { output: 30, outputAudio: 20 },
    ],
    [{ completion_tokens: 50 }, ['completion_tokens_details.image_tokens'], 20, { output: 30, outputImage: 20 }],
  ],
  Perplexity: [
    [
      { completion_tokens: 50, reasoning_tokens: 20 },
      ['citation_tokens', 'num_search_queries'],
      3,
      { output: 50, reasoning: 20 },
    ],
  ],
  'OpenAI responses': [
    [
      { input_tokens: 100 },
      [
        'input_tokens_details.cached_tokens',
        'input_tokens_details.cache_read',
        'input_token_details.cached_tokens',
        'input_token_details.cache_read',
      ],
      60,
      { input: 40, cacheRead: 60 },
    ],
    [
      { input_tokens: 100 },
      ['input_tokens_details.cache_write_tokens', 'input_token_details.cache_creation'],
      30,
      { input: 70, cacheWrite: 30 },
    ],
    [{ input_tokens: 100 }, ['input_token_details.ephemeral_5m_input_tokens'], 30, { input: 70, cacheWrite: 30 }],
    [{ input_tokens: 100 }, ['input_token_details.ephemeral_1h_input_tokens'], 30, { input: 70, cacheWrite1h: 30 }],
    [
      { input_tokens: 100, input_tokens_details: {}, output_tokens: 50 },
      [
        'output_tokens_details.reasoning_tokens',
        'output_tokens_details.reasoning',
        'output_token_details.reasoning_tokens',
        'output_token_details.reasoning',
      ],
      20,
      { input: 100, output: 30, reasoning: 20 },
    ],
    [
      { output_tokens: 50 },
      ['output_token_details.audio', 'output_token_details.audio_tokens'],
      20,
      { output: 30, outputAudio: 20 },
    ],
    [
      { input_tokens: 100, output_tokens: 50, total_tokens: 170, input_tokens_details: {} },
      ['output_tokens_details.reasoning_tokens'],
      20,
      { input: 100, output: 50, reasoning: 20 },
    ],
  ],
  Anthropic: [
    [{}, ['input_tokens'], 100, { input: 100 }],
    [{}, ['output_tokens'], 50, { output: 50 }],
    [{ input_tokens: 100 }, ['cache_read_input_tokens'], 60, { input: 100, cacheRead: 60 }],
    [
      { input_tokens: 100 },
      ['cache_creation_input_tokens', 'cache_creation.ephemeral_5m_input_tokens'],
      30,
      { input: 100, cacheWrite: 30 },
    ],
    [{ input_tokens: 100 }, ['cache_creation.ephemeral_1h_input_tokens'], 30, { input: 100, cacheWrite1h: 30 }],
    [
      { output_tokens: 50 },
      ['output_tokens_details.thinking_tokens', 'output_tokens_details.reasoning_tokens'],
      20,
      { output: 30, reasoning: 20 },
    ],
    [
      { input_tokens: 100, output_tokens: 50 },
      ['iterations'],
      [
        { type: 'compaction', input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 2 },
        { type: 'message', input_tokens: 1_000, output_tokens: 1_000 },
      ],
      { input: 107, output: 53, cacheRead: 2 },
    ],
  ],
  Cohere: [
    [{}, ['billed_units.input_tokens', 'tokens.input_tokens'], 100, { input: 100 }],
    [{}, ['billed_units.output_tokens', 'tokens.output_tokens'], 50, { output: 50 }],
    [{ tokens: { input_tokens: 9, output_tokens: 9 } }, ['billed_units.input_tokens'], 100, { input: 100 }],
  ],
  Voyage: [[{}, ['total_tokens'], 100, { input: 100 }]],
};

const merged = (rest: object, path: string, count: unknown): object => {
  const added = at(path, count);
  const [name = ''] = path.split('.');
  const there = (rest as Record<string, unknown>)[name];
  return { ...rest, ...added, ...(typeof there === 'object' && { [name]: { ...there, ...(added[name] as object) } }) };
};

for (const [shape, aliases] of Object.entries(shapes)) {
  describe(`D3.10: the usage of ${shape}`, () => {
    for (const [rest, paths, count, buckets] of aliases) {
      test.each(paths)(`has %s beside ${JSON.stringify(rest)} in ${Object.keys(buckets).join(', ')}`, (path) => {
        expect(bucketsOf(merged(rest, path, count))).toEqual(buckets);
      });
    }
  });
}

describe('D3.10: the lists of modalities of Gemini', () => {
  test.each([
    ['AUDIO', { input: 60, inputAudio: 40 }],
    ['IMAGE', { input: 60, inputImage: 40 }],
    ['DOCUMENT', { input: 60, inputImage: 40 }],
    ['VIDEO', { input: 60, inputVideo: 40 }],
    ['TEXT', { input: 100 }],
    ['audio', { input: 60, inputAudio: 40 }],
    ['smell', { input: 100 }],
  ])('count %s by either name of its tokens', (modality, buckets) => {
    for (const name of ['tokenCount', 'token_count', 'tokens']) {
      expect(bucketsOf({ promptTokenCount: 100, promptTokensDetails: [{ modality, [name]: 40 }] })).toEqual(buckets);
    }
  });

  test('are added up, also over the prompt and what tools put into it', () => {
    const details = { promptTokensDetails: [...audio, ...audio], toolUsePromptTokensDetails: audio };
    expect(bucketsOf({ promptTokenCount: 100, toolUsePromptTokenCount: 60, ...details })).toEqual({
      input: 40,
      inputAudio: 120,
    });
  });

  test('may hold images that were read from the cache', () => {
    const image = (tokenCount: number) => [{ modality: 'IMAGE', tokenCount }];
    const cached = { cachedContentTokenCount: 60, cacheTokensDetails: image(40) };
    expect(bucketsOf({ promptTokenCount: 100, promptTokensDetails: image(50), ...cached })).toEqual({
      input: 30,
      inputImage: 10,
      cacheRead: 20,
      cacheReadImage: 40,
    });
  });
});

describe('D3.10: where a usage object may be', () => {
  test.each([
    'usage',
    'usageMetadata',
    'usage_metadata',
    'response.usage',
    'response.usageMetadata',
    'response.usage_metadata',
  ])('at %s', (path) => {
    expect(bucketsOf({}, at(path, { prompt_tokens: 7 }))).toEqual({ input: 7 });
  });

  test('the first that reports a count is taken, the event’s own before the response’s', () => {
    const response = { usage: { prompt_tokens: 9 } };
    expect(bucketsOf({}, { usage: { prompt_tokens: 7 }, response })).toEqual({ input: 7 });
    expect(bucketsOf({}, { usage: { model: 'x' }, response })).toEqual({ input: 9 });
    expect(bucketsOf({}, { usage: 12, usageMetadata: [], response })).toEqual({ input: 9 });
  });
});
