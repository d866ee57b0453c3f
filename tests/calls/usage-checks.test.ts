// Counts that only repeat others: they are read if they agree, and unread if they don't.
import { describe, expect, it } from 'vitest';
import { readUsage } from '../../src/usage/usage.ts';

const unreadOf = (usage: Record<string, unknown>): readonly string[] => readUsage({ usage }).unread;

describe("D26.3: Anthropic's iterations", () => {
  const usage = {
    ...{ input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 10, cache_creation_input_tokens: 8 },
    cache_creation: { ephemeral_1h_input_tokens: 3, ephemeral_5m_input_tokens: 5 },
  };
  const first = { ...usage, type: 'message', input_tokens: 60, output_tokens: 15 };
  const second = { type: 'fallback_message', input_tokens: 40, output_tokens: 5 };

  it('are read where those of the answer add up to the usage', () => {
    expect(unreadOf({ ...usage, iterations: [first, second] })).toEqual([]);
    const { cache_creation: _byLifetime, ...inAll } = first;
    expect(unreadOf({ ...usage, iterations: [inAll, second] })).toEqual([]);
  });

  it.each([
    ['input_tokens', { input_tokens: 61 }],
    ['output_tokens', { output_tokens: 16 }],
    ['cache_read_input_tokens', { cache_read_input_tokens: 11 }],
    [
      'cache_creation.ephemeral_1h_input_tokens',
      { cache_creation: { ephemeral_1h_input_tokens: 4, ephemeral_5m_input_tokens: 4 } },
    ],
    [
      'cache_creation.ephemeral_5m_input_tokens',
      { cache_creation: { ephemeral_1h_input_tokens: 3, ephemeral_5m_input_tokens: 6 } },
    ],
  ])('are unread where their %s differ', (path, other) => {
    expect(unreadOf({ ...usage, iterations: [{ ...first, ...other }, second] })).toEqual([
      `usage.iterations[].${path}`,
    ]);
  });

  it('are unread where their cache writes differ, in all and by lifetime', () => {
    const other = { ...first, cache_creation_input_tokens: 9 };
    expect(unreadOf({ ...usage, iterations: [other, second] }).toSorted()).toEqual([
      'usage.iterations[].cache_creation.ephemeral_5m_input_tokens',
      'usage.iterations[].cache_creation_input_tokens',
    ]);
  });

  it('of an advisor are those of its own model', () => {
    const advice = { type: 'advisor_message', input_tokens: 9, output_tokens: 7, cache_read_input_tokens: 3 };
    const iterations = [first, second, { ...advice, model: 'claude-fable-5-1' }, advice];
    const reading = readUsage({ usage: { ...usage, iterations } });
    expect(reading.unread).toEqual([]);
    expect(reading.others).toMatchObject([
      { model: 'claude-fable-5-1', usage: { input: 9, cacheRead: 3, output: 7 } },
      { model: '', usage: { input: 9, cacheRead: 3, output: 7 } },
    ]);
  });

  it('beside advice may each be charged, where the usage has the input of the first alone', () => {
    // The example of Anthropic's documentation of the advisor.
    const none = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const iterations = [
      { type: 'message', ...none, input_tokens: 412, output_tokens: 89 },
      { type: 'advisor_message', model: 'claude-fable-5', ...none, input_tokens: 823, output_tokens: 1612 },
      { type: 'message', ...none, input_tokens: 1348, cache_read_input_tokens: 412, output_tokens: 442 },
    ];
    expect(readUsage({ usage: { input_tokens: 412, ...none, output_tokens: 531, iterations } })).toMatchObject({
      usage: { input: 1760, cacheRead: 412, output: 531 },
      others: [{ model: 'claude-fable-5', usage: { input: 823, output: 1612 } }],
      unread: [],
    });
  });

  it('of a fallback are those of the model that answered, and what was refused is told', () => {
    const iterations = [
      { type: 'message', model: 'claude-fable-5', input_tokens: 412, output_tokens: 0 },
      { type: 'fallback_message', model: 'claude-opus-4-8', input_tokens: 412, output_tokens: 264 },
    ];
    expect(readUsage({ usage: { input_tokens: 412, output_tokens: 264, iterations } })).toMatchObject({
      usage: { input: 412, output: 264 },
      others: [{ model: 'claude-opus-4-8', usage: { input: 412, output: 264 }, isPart: true }],
      unread: ['usage.iterations[].input_tokens'],
    });
  });

  it('that compact are added, and the total may leave them out', () => {
    const compaction = { type: 'compaction', input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 2 };
    const compacted = { ...usage, iterations: [compaction, first, second] };
    expect(readUsage({ usage: compacted }).usage).toMatchObject({ input: 107, cacheRead: 12, output: 23 });
    // Without cache counts or with them, and all samplings.
    for (const total_tokens of [120, 150]) expect(unreadOf({ ...compacted, total_tokens })).toEqual([]);
    for (const total_tokens of [119, 127, 151]) {
      expect(unreadOf({ ...compacted, total_tokens }), String(total_tokens)).toEqual(['usage.total_tokens']);
    }
  });
});

describe('D26.3: the totals of chat completions', () => {
  const chat = { prompt_tokens: 10, completion_tokens: 50 };
  const details = (more: object) => ({ completion_tokens_details: more });

  it('are read where they are the sum of both sides, with reasoning or without', () => {
    expect(unreadOf({ ...chat, total_tokens: 60 })).toEqual([]);
    expect(unreadOf({ ...chat, total_tokens: 59 })).toEqual(['usage.total_tokens']);
    expect(unreadOf({ prompt_tokens: 10, total_tokens: 60 })).toEqual(['usage.total_tokens']);
    expect(unreadOf({ ...chat, total_tokens: 60, ...details({ reasoning_tokens: 30 }) })).toEqual([]);
    expect(unreadOf({ ...chat, total_tokens: 90, ...details({ reasoning_tokens: 30 }) })).toEqual([]);
    expect(unreadOf({ ...chat, total_tokens: 89, ...details({ reasoning_tokens: 30 }) })).toEqual([
      'usage.total_tokens',
    ]);
  });

  it('that are larger than both sides show thoughts of Gemini alone', () => {
    const usage = { ...chat, total_tokens: 100 };
    for (const names of [{ provider: 'google' }, { provider: 'openrouter', model: 'google/gemini-3.8-flash' }]) {
      expect(readUsage({ ...names, usage })).toMatchObject({ usage: { output: 50, reasoning: 40 }, unread: [] });
    }
    // No other model leaves them out, so the total is not charged by guess (D27.4).
    for (const names of [{ provider: 'openai', model: 'gpt-5' }, {}]) {
      expect(readUsage({ ...names, usage })).toMatchObject({
        usage: { output: 50, reasoning: 0 },
        unread: ['usage.total_tokens'],
      });
    }
  });

  it('have parts of plain text, with reasoning or without', () => {
    for (const text_tokens of [20, 50]) {
      expect(unreadOf({ ...chat, ...details({ reasoning_tokens: 30, text_tokens }) }), String(text_tokens)).toEqual([]);
    }
    const path = 'usage.completion_tokens_details.text_tokens';
    expect(unreadOf({ ...chat, ...details({ reasoning_tokens: 30, text_tokens: 21 }) })).toEqual([path]);
    expect(unreadOf({ prompt_tokens: 10, ...details({ text_tokens: 50 }) })).toEqual([path]);
    const sides = (text_tokens: number) => ({ ...chat, prompt_tokens_details: { text_tokens, audio_tokens: 4 } });
    expect(unreadOf(sides(6))).toEqual([]);
    expect(unreadOf(sides(7))).toEqual(['usage.prompt_tokens_details.text_tokens']);
  });

  it('have reasoning twice, which is read where it agrees', () => {
    const reasoned = { ...chat, ...details({ reasoning_tokens: 30 }) };
    expect(unreadOf({ ...reasoned, reasoning_tokens: 30 })).toEqual([]);
    expect(unreadOf({ ...reasoned, reasoning_tokens: 31 })).toEqual(['usage.reasoning_tokens']);
  });

  it('show whether reasoning is part of the completion', () => {
    const read = (reasoning_tokens: number, provider = 'xai') =>
      readUsage({ provider, usage: { ...chat, ...details({ reasoning_tokens }) } });
    expect(read(50).usage).toMatchObject({ output: 50, reasoning: 50 });
    expect(read(50, 'openai').usage).toMatchObject({ output: 0, reasoning: 50 });
    expect(read(51).usage).toMatchObject({ output: 50, reasoning: 51 });
    expect(read(0).usage).toMatchObject({ output: 50, reasoning: 0 });
    // A part that is larger than its whole is told, and no more than the whole is charged (D27.4).
    expect(read(51, 'openai')).toMatchObject({
      usage: { output: 0, reasoning: 50 },
      unread: ['usage.completion_tokens_details.reasoning_tokens'],
    });
  });
});

describe('D26.3: two usage objects', () => {
  const usage = (more: object = {}) => ({
    ...{ prompt_tokens: 1, completion_tokens: 2, cost: 1, server_tool_use: { web_search_requests: 2 } },
    ...more,
  });

  it('are read where they agree, and the first counts where they do not', () => {
    const both = (more?: object) => readUsage({ usage: usage(), response: { usage: usage(more) } });
    expect(both()).toMatchObject({ cost: 1_000_000_000_000n, unread: [] });
    for (const [path, more] of [
      ['prompt_tokens', { prompt_tokens: 3 }],
      ['completion_tokens', { completion_tokens: 3 }],
      ['cost', { cost: 2 }],
      ['server_tool_use.web_search_requests', { server_tool_use: { web_search_requests: 3 } }],
    ] as const) {
      expect(both(more), path).toMatchObject({
        usage: { input: 1, output: 2 },
        cost: 1_000_000_000_000n,
        units: { web_searches: 2_000_000_000_000n },
        unread: [`response.usage.${path}`],
      });
    }
  });

  it('give what the other does not have', () => {
    const { cost, server_tool_use, ...tokens } = usage();
    const reading = readUsage({ usage: tokens, response: { usage: { cost, server_tool_use } } });
    expect(reading).toMatchObject({
      cost: 1_000_000_000_000n,
      units: { web_searches: 2_000_000_000_000n },
      unread: [],
    });
  });
});
