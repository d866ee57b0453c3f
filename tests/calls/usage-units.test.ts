// What an event says beside its tokens: the cost that it reports, units and terms.
import { describe, expect, it } from 'vitest';
import { readReportedCost, readUsage } from '../../src/calls/usage.ts';

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
