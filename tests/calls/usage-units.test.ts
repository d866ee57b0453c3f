// What an event says beside its tokens: the cost that it reports, units and terms.
import { describe, expect, it } from 'vitest';
import { dollar } from '../../src/lib/money.ts';
import { readReportedCost, readUsage } from '../../src/usage/usage.ts';

describe('a reported cost (D3.11)', () => {
  it('is an exact amount', () => {
    expect(readReportedCost({ cost: 0.0019 })).toBe(1_900_000_000n);
    expect(readReportedCost({ cost: 0 })).toBe(0n);
    expect(readReportedCost({ cost: 1e-7 })).toBe(100_000n);
    expect(readReportedCost({ cost: 100_000 })).toBe(100_000_000_000_000_000n);
  });

  it('is ignored when it is no number from 0 to 100,000, and when it is not the event that reports it', () => {
    for (const cost of [-0.01, 100_000.01, Number.NaN, Number.POSITIVE_INFINITY, '1', null, undefined, {}]) {
      expect(readReportedCost({ cost })).toBeNull();
    }
    expect(readReportedCost({ usage: { cost: 1 } })).toBeNull();
    expect(readUsage({ usage: { cost: 1 } }).cost).toBe(1_000_000_000_000n);
  });

  it('of a usage object is unread where the event says otherwise', () => {
    const usage = { prompt_tokens: 1, cost: 1 };
    expect(readUsage({ cost: 2, usage })).toMatchObject({ cost: 2_000_000_000_000n, unread: ['usage.cost'] });
    expect(readUsage({ cost: 1, usage })).toMatchObject({ cost: 1_000_000_000_000n, unread: [] });
    expect(readUsage({ usage: { prompt_tokens: 1, cost: -1 } })).toMatchObject({ cost: null, unread: ['usage.cost'] });
  });
});

describe('units (D26.1)', () => {
  const three = 3_000_000_000_000n;
  const searched = { usage: { server_tool_use: { web_search_requests: 2 } } };

  it('are flat fields before those of usage objects, and these before what an answer shows', () => {
    const output = [{ type: 'web_search_call', action: { type: 'search' } }];
    expect(readUsage({ web_searches: 3, ...searched })).toMatchObject({
      units: { web_searches: three },
      unread: ['usage.server_tool_use.web_search_requests'],
    });
    expect(readUsage({ ...searched, response: { output } }).units).toEqual({ web_searches: 2_000_000_000_000n });
    expect(readUsage({ response: { output } }).units).toEqual({ web_searches: 1_000_000_000_000n });
  });

  it('are unread where they are no count, unless they are another thing', () => {
    expect(readUsage({ web_searches: -1, pages: '3', images: [1], characters: null })).toMatchObject({
      units: {},
      unread: ['web_searches', 'pages'],
    });
  });

  it('of 0 are none', () => {
    expect(readUsage({ web_searches: 0, ...searched, usage: { seconds: 0 } }).units).toEqual({});
  });

  it('are no images where tokens are charged', () => {
    const answer = { created: 1, data: [{ b64_json: 'x' }] };
    expect(readUsage({ response: answer }).units).toEqual({ images: 1_000_000_000_000n });
    expect(readUsage({ response: { ...answer, usage: { input_tokens: 1, output_tokens: 2 } } }).units).toEqual({});
    expect(readUsage({ response: { data: [{ url: 'https://example.com' }] } }).units).toEqual({});
  });
});

describe('terms (D26.1)', () => {
  const tierOf = (event: Record<string, unknown>) => readUsage(event).terms.service_tier;

  it('are read inside usage, in the response and at top level, in that order', () => {
    const inUsage = { response: { usage: { service_tier: 'batch' } } };
    expect(tierOf(inUsage)).toBe('batch');
    expect(tierOf({ ...inUsage, usage: { service_tier: 'standard' } })).toBe('standard');
    expect(tierOf({ usage: { service_tier: 'standard' }, response: { service_tier: 'flex' } })).toBe('standard');
    expect(tierOf({ service_tier: 'priority', response: { service_tier: 'flex' } })).toBe('flex');
    expect(tierOf({ service_tier: 'Priority' })).toBe('priority');
  });

  it('keep a batch that an answer gives the ordinary tier, as those of OpenAI do', () => {
    expect(tierOf({ service_tier: 'batch', response: { service_tier: 'default' } })).toBe('batch');
    expect(tierOf({ service_tier: 'batch', response: { service_tier: 'priority' } })).toBe('priority');
    expect(tierOf({ service_tier: 'flex', response: { service_tier: 'default' } })).toBe('default');
  });

  it('are empty where there is none', () => {
    expect(readUsage({}).terms).toEqual({});
    expect(tierOf({ service_tier: 7, response: [], usage: { service_tier: '' } })).toBeUndefined();
    expect(tierOf({ usage: { trafficType: 'TRAFFIC_TYPE_UNSPECIFIED' } })).toBeUndefined();
  });

  it('are unread where they are longer than 64 characters', () => {
    const long = 'x'.repeat(65);
    const reading = readUsage({ geo: long, usage: { prompt_tokens: 1, speed: long }, response: { quality: long } });
    expect(reading.terms).toEqual({});
    expect(reading.unread.toSorted()).toEqual(['geo', 'response.quality', 'usage.speed']);
  });
});

describe('a paid answer (D27.5)', () => {
  const read = (response: Record<string, unknown>) => readUsage({ provider: 'p', model: 'm', response });

  it('counts what it made, however it writes its time', () => {
    const image = { url: 'https://ideogram.ai/x.png', seed: 4 };
    expect(read({ created: '2026-11-01T00:00:00Z', data: [image] }).units).toMatchObject({ images: expect.anything() });
    // Without the image itself, as clients pass answers on.
    expect(read({ created: 1, data: [{ b64_json: '' }] }).units).toEqual({ images: dollar });
    expect(read({ artifacts: [{ base64: '', seed: 5 }, { seed: 6 }] }).units).toEqual({ images: dollar });
    expect(read({ images: ['iVBORw0KGgo'] }).unread).toEqual(['response.images']);
    const video = read({ id: 'x', state: 'completed', assets: { video: 'https://x/v.mp4' } });
    expect(video.units).toMatchObject({ videos: expect.anything() });
    const made = { generatedVideos: [{ video: { uri: 'https://x/v.mp4' } }] };
    expect(readUsage({ video_seconds: 8, response: made }).units).toEqual({ video_seconds: 8n * dollar });
    const ofXAi = { data: [{ url: 'https://x/1.jpg', revised_prompt: 'a cat' }] };
    expect(read(ofXAi)).toMatchObject({ units: { images: dollar }, isUnknown: false });
  });

  it('names media and costs that no reader knows', () => {
    for (const [response, path] of [
      [{ made: { clip: 'https://x.y/a.mp4?sig=1' } }, 'response.made.clip'],
      [{ files: ['data:image/png;base64,aGk='] }, 'response.files'],
      [{ results: [], costOf: { total: 0.007 } }, 'response.costOf.total'],
      // What agents say of their models' answers.
      [{ trace: { a: { b: { c: { usage: { inputTokens: 9 } } } } } }, 'response.trace.a.b.c.usage.inputTokens'],
      [{ stats: { models: { gemini: { tokens: { prompt: 9 } } } } }, 'response.stats.models.gemini.tokens.prompt'],
    ] as const) {
      expect(read(response)).toMatchObject({ isUnknown: true, unread: [path] });
    }
  });

  it("has Exa's charge as its cost", () => {
    expect(read({ results: [], costDollars: { total: 0.007 } })).toMatchObject({ cost: 7_000_000_000n, unread: [] });
  });

  it("counts the tokens of Ollama's own shape, in the response and at the top", () => {
    const counts = { prompt_eval_count: 26, eval_count: 298 };
    for (const event of [{ response: counts }, counts]) {
      expect(readUsage({ model: 'llama3.3:70b', ...event }).usage).toMatchObject({ input: 26, output: 298 });
    }
  });

  it("counts what Deepgram's models of language take, apart from what was said", () => {
    const metadata = { duration: 12, model_info: {}, summary_info: { input_tokens: 300, output_tokens: 40 } };
    const { usage, others, units } = read({ metadata });
    expect([usage, units]).toMatchObject([null, { audio_seconds: expect.anything() }]);
    expect(others).toMatchObject([{ model: 'deepgram-summary', usage: { input: 300, output: 40 } }]);
    const { model_info: _, ...short } = { ...metadata, channels: 1 };
    expect(read({ metadata: short }).others).toEqual(others);
  });

  it("reads what each model of Groq's compound ones used, which the usage adds up", () => {
    const of = (model: string) => ({ model, usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } });
    const breakdown = { usage_breakdown: { models: [of('a'), of('b'), of('a')] } };
    const usage = { prompt_tokens: 9, completion_tokens: 12 };
    const others = [
      { model: 'a', usage: { input: 6, output: 8 }, isPart: true },
      { model: 'b', usage: { input: 3, output: 4 }, isPart: true },
    ];
    for (const answer of [
      { usage, ...breakdown },
      { x_groq: { id: 'req_1', usage, ...breakdown } },
      { usage, x_groq: { id: 'req_1', usage: { dram_cached_tokens: 3 }, ...breakdown } },
    ]) {
      expect(read(answer)).toMatchObject({ usage: { input: 9, output: 12 }, others, unread: [] });
    }
    // The parts are charged, and a sum that contradicts them is told (D27.4).
    expect(read({ usage: { ...usage, completion_tokens: 13 }, ...breakdown })).toMatchObject({
      others,
      unread: ['response.usage.completion_tokens'],
    });
    const further = {
      models: [
        { ...of('a'), seconds: 3 },
        { model: 'b', usage: { hops: 2 } },
      ],
      tools: 2,
    };
    expect(read({ usage_breakdown: further })).toMatchObject({
      others: [{ model: 'a' }],
      unread: [
        'response.usage_breakdown.tools',
        'response.usage_breakdown.models[].seconds',
        'response.usage_breakdown.models[].usage.hops',
      ],
    });
  });

  it('counts the tools that Groq ran', () => {
    const executed_tools = [
      ...[{ type: 'search' }, { type: 'visit' }, { type: 'python' }, { type: 'wolfram_alpha' }],
      ...[
        { type: 'function', name: 'python' },
        { type: 'function', name: 'browser.search' },
      ],
    ];
    expect(read({ choices: [{ message: { executed_tools } }] }).units).toEqual({
      ...{ web_searches: 2n * dollar, web_fetches: dollar, code_sessions: 2n * dollar },
    });
  });
});
