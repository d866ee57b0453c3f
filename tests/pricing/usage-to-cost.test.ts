import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatMoney } from '../../src/lib/money.ts';
import { calcCost } from '../../src/pricing/cost.ts';
import { readUsage } from '../../src/usage/usage.ts';
import { callOf, openInstalledBook } from './support.ts';

/** What a call costs that reports the usage of a fixture, reckoned from list prices in decimals apart from the code under test. */
const cases: readonly (readonly [fixture: string, provider: string, model: string, cost: string])[] = [
  ['openai-chat-cached', 'openai', 'gpt-4o', '0.005615000000'],
  ['openai-responses-reasoning', 'openai', 'o3', '0.009638000000'],
  ['anthropic-cache-lifetimes', 'anthropic', 'claude-sonnet-4-5', '0.015384000000'],
  ['anthropic-cache-lifetimes', 'anthropic_vertex', 'claude-sonnet-4-5@20250929', '0.015384000000'],
  ['gemini-thinking', 'google', 'gemini-2.5-pro', '0.012412500000'],
  ['gemini-tool-use', 'google', 'gemini-2.5-flash', '0.000650000000'],
  ['gemini-python', 'vertex_ai', 'gemini-2.5-flash', '0.001561000000'],
  ['gemini-openai-endpoint', 'google', 'gemini-2.5-flash', '0.001513500000'],
  ['mistral-cached', 'mistral', 'mistral-large-latest', '0.000390200000'],
  ['bedrock-converse-cached', 'bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', '0.004372500000'],
  ['bedrock-nova-invoke', 'bedrock', 'amazon.nova-lite-v1:0', '0.000052500000'],
  ['deepseek-reasoner', 'deepseek', 'deepseek-v4-flash', '0.000059184000'],
  ['xai-reasoning', 'xai', 'grok-4', '0.001627500000'],
  ['xai-responses', 'xai', 'grok-4', '0.001627500000'],
  ['groq', 'groq', 'openai/gpt-oss-120b', '0.001440750000'],
  ['perplexity-deep-research', 'perplexity', 'sonar-deep-research', '0.246008000000'],
  ['perplexity', 'perplexity', 'sonar', '0.005309000000'],
  ['cohere', 'cohere', 'command-a-03-2025', '0.004192500000'],
  ['voyage-embeddings', 'voyageai', 'voyage-3.5', '0.000000600000'],
  ['openai-embeddings', 'openai', 'text-embedding-3-small', '0.000000160000'],
  ['openai-realtime-cached-audio', 'openai', 'gpt-realtime', '0.024541600000'],
  ['litellm-cache-lifetimes', 'litellm', 'anthropic/claude-haiku-4-5', '0.001315000000'],
  ['langchain-anthropic', 'anthropic', 'claude-opus-4-5', '0.014500000000'],
  ['moonshot', 'moonshot', 'kimi-k2-thinking', '0.000059400000'],
  ['openrouter', 'openrouter', 'anthropic/claude-sonnet-4.5', '0.000687000000'],
  ['ai-sdk-6', 'openai.responses', 'gpt-5', '0.003575000000'],
];

const fixture = z.object({ event: z.record(z.string(), z.unknown()) });
const book = openInstalledBook();

describe('from what a provider reports to what the call costs (D3.10, D5.2)', () => {
  for (const [name, provider, model, cost] of cases) {
    it(`${name} of ${provider} ${model}`, () => {
      const path = new URL(`../fixtures/provider-usage/${name}.json`, import.meta.url);
      const { event } = fixture.parse(JSON.parse(readFileSync(path, 'utf8')));
      const usage = readUsage(event).usage;
      const result = calcCost(callOf({ provider, model, usage }), book);
      expect([result.source, formatMoney(result.cost)]).toEqual(['catalogue', cost]);
    });
  }
});
