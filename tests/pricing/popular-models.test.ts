import { describe, expect, it } from 'vitest';
import { noTerms } from '../../src/lib/units.ts';
import { resolveModelPrice } from '../../src/pricing/model-price.ts';
import { openInstalledBook } from './support.ts';

/** The models most used in the two years before November 2026, by the provider that sells them. */
const popular: Readonly<Record<string, readonly string[]>> = {
  openai: [
    'gpt-4o',
    'gpt-4o-mini',
    'gpt-4.1',
    'gpt-4.1-mini',
    'gpt-4.1-nano',
    'o1',
    'o3',
    'o3-mini',
    'o4-mini',
    'gpt-5',
    'gpt-5-mini',
    'gpt-5-nano',
    'gpt-5.1',
    'gpt-5.2',
    'gpt-5.4',
    'gpt-5.4-mini',
    'gpt-5.5',
    'gpt-5.6-sol',
    'gpt-5.6-terra',
    'gpt-5.6-luna',
    'gpt-6-sol',
    'gpt-6-luna',
    'gpt-realtime',
    'gpt-4o-audio-preview',
  ],
  anthropic: [
    'claude-3-haiku-20240307',
    'claude-3-5-haiku-20241022',
    'claude-3-5-sonnet-20241022',
    'claude-3-7-sonnet-20250219',
    'claude-sonnet-4-20250514',
    'claude-opus-4-1-20250805',
    'claude-sonnet-4-5',
    'claude-haiku-4-5',
    'claude-opus-4-5',
    'claude-sonnet-4-6',
    'claude-opus-4-8',
    'claude-sonnet-5',
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
  ],
  google: [
    'gemini-1.5-flash',
    'gemini-1.5-pro',
    'gemini-2.0-flash',
    'gemini-2.5-flash-lite',
    'gemini-2.5-flash',
    'gemini-2.5-pro',
    'gemini-3-flash-preview',
    'gemini-3-pro-preview',
    'gemini-3.8-flash',
  ],
  mistral: ['mistral-large-latest', 'mistral-medium-latest', 'mistral-small-latest', 'codestral-latest'],
  deepseek: ['deepseek-chat', 'deepseek-reasoner', 'deepseek-v4-flash', 'deepseek-v4-pro'],
  xai: ['grok-3', 'grok-4', 'grok-4-fast', 'grok-4.5'],
  groq: ['llama-3.3-70b-versatile', 'llama-3.1-8b-instant', 'openai/gpt-oss-120b'],
  together: ['meta-llama/Llama-3.3-70B-Instruct-Turbo', 'deepseek-ai/DeepSeek-V3'],
  fireworks: ['accounts/fireworks/models/llama-v3p3-70b-instruct', 'accounts/fireworks/models/gpt-oss-120b'],
  cohere: ['command-a-03-2025', 'command-r-plus-08-2024'],
  perplexity: ['sonar', 'sonar-pro'],
  bedrock: ['amazon.nova-lite-v1:0', 'amazon.nova-pro-v1:0', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  vertex_ai: ['claude-sonnet-4-5@20250929'],
  azure: ['gpt-4o', 'gpt-4o-mini'],
};

const embeddings: Readonly<Record<string, readonly string[]>> = {
  openai: ['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'],
  google: ['gemini-embedding-001'],
  cohere: ['embed-v4.0', 'embed-english-v3.0', 'embed-multilingual-v3.0'],
  mistral: ['mistral-embed'],
  voyageai: ['voyage-3.5'],
  bedrock: ['amazon.titan-embed-text-v2:0'],
};

const book = openInstalledBook();

function priceOf(provider: string, model: string) {
  const day = '2026-11-01';
  const price = resolveModelPrice({ provider, model, terms: noTerms, time: Date.parse(`${day}T12:00:00Z`), day }, book);
  if ('unpricedReason' in price) throw new Error(`${price.unpricedReason}: ${provider} ${model}`);
  return price.rates.perMtok;
}

describe('the models that most calls go to have prices (D5.2)', () => {
  it('are at least sixty', () => {
    expect(Object.values(popular).flat().length).toBeGreaterThanOrEqual(60);
  });

  for (const [provider, models] of Object.entries(popular)) {
    it.each(models)(`${provider} %s, for input and output`, (model) => {
      const { input, output } = priceOf(provider, model);
      expect(Number(input)).toBeGreaterThan(0);
      // Output is dearer than input, or at least as dear, with every provider.
      expect(Number(output)).toBeGreaterThanOrEqual(Number(input));
    });
  }

  for (const [provider, models] of Object.entries(embeddings)) {
    it.each(models)(`${provider} %s, for input`, (model) => {
      expect(Number(priceOf(provider, model).input)).toBeGreaterThan(0);
    });
  }
});
