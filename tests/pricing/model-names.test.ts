import { describe, expect, it } from 'vitest';
import { calcCost } from '../../src/pricing/cost.ts';
import { callOf, findEntry, openInstalledBook, openInstalledCatalogue } from './support.ts';

const catalogue = openInstalledCatalogue();

describe('the entry of a name as APIs, clouds and routers spell it (D5.2)', () => {
  const sonnet45 = 'claude-sonnet-4-5-20250929';
  const lookups: [provider: string, model: string, entry: string][] = [
    // Gemini and Vertex.
    ['google', 'models/gemini-2.5-pro', 'google gemini-2.5-pro'],
    ['google', 'gemini-2.0-flash-001', 'google gemini-2.0-flash'],
    ['vertex_ai', 'publishers/google/models/gemini-2.5-flash@001', 'google gemini-2.5-flash'],
    ['vertex_ai', 'publishers/anthropic/models/claude-opus-4-1@20250805', 'google claude-4-opus'],
    ['google-vertex-anthropic', 'claude-sonnet-4-5@20250929', 'google claude-sonnet-4-5'],
    ['anthropic_vertex', 'claude-opus-4-8@default', 'google claude-opus-4-8'],
    ['vertex_ai', 'claude-haiku-4-5@20251001', 'google claude-haiku-4-5'],
    ['google', 'projects/p/locations/us-central1/publishers/google/models/gemini-2.5-pro', 'google gemini-2.5-pro'],
    ['google', 'projects/p/locations/us-central1/endpoints/1234567890', 'unknown_model'],
    ['google', 'tunedModels/my-model-abc123', 'unknown_model'],
    ['gcp.gen_ai', 'gemini-3-flash-preview', 'google gemini-3-flash-preview'],
    // Bedrock.
    ['bedrock', `us.anthropic.${sonnet45}-v1:0`, 'aws regional.anthropic.claude-sonnet-4-5'],
    ['bedrock', `eu.anthropic.${sonnet45}-v1:0`, 'aws regional.anthropic.claude-sonnet-4-5'],
    ['bedrock', `apac.anthropic.${sonnet45}-v1:0`, 'aws regional.anthropic.claude-sonnet-4-5'],
    ['bedrock', `jp.anthropic.${sonnet45}-v1:0`, 'aws regional.anthropic.claude-sonnet-4-5'],
    ['bedrock', `global.anthropic.${sonnet45}-v1:0`, 'aws global.anthropic.claude-sonnet-4-5'],
    ['bedrock', `us-gov.anthropic.${sonnet45}-v1:0`, 'unknown_model'],
    ['bedrock', 'us.anthropic.claude-opus-4-6-v1', 'aws regional.anthropic.claude-opus-4-6-v1:0'],
    ['anthropic_bedrock', 'eu.anthropic.claude-fable-5', 'aws regional.anthropic.claude-fable-5-v1:0'],
    ['amazon-bedrock', 'eu.amazon.nova-pro-v1:0', 'aws eu.amazon.nova-pro-v1:0'],
    ['aws.bedrock', 'amazon.titan-embed-text-v2:0', 'aws amazon.titan-embed-text-v2:0'],
    [
      'aws',
      `arn:aws:bedrock:us-east-1::foundation-model/anthropic.${sonnet45}-v1:0`,
      'aws regional.anthropic.claude-sonnet-4-5',
    ],
    [
      'aws',
      `arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.${sonnet45}-v1:0`,
      'aws regional.anthropic.claude-sonnet-4-5',
    ],
    [
      'aws',
      'arn:aws:bedrock:us-east-1::foundation-model/meta.llama3-3-70b-instruct-v1:0',
      'aws meta.llama3-3-70b-instruct-v1:0',
    ],
    ['aws', 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6', 'unknown_model'],
    ['aws', 'arn:aws:bedrock:us-east-1:123456789012:provisioned-model/abcdefghijkl', 'unknown_model'],
    [
      'aws',
      'arn:aws:bedrock:us-east-1:123456789012:custom-model/amazon.nova-lite-v1:0:300k/abcdefghijkl',
      'unknown_model',
    ],
    ['aws', `arn:aws-us-gov:bedrock:us-gov-west-1::foundation-model/anthropic.${sonnet45}-v1:0`, 'unknown_model'],
    ['bedrock', `bedrock/us-east-1/anthropic.${sonnet45}-v1:0`, 'aws regional.anthropic.claude-sonnet-4-5'],
    ['bedrock', `bedrock/converse/us.anthropic.${sonnet45}-v1:0`, 'aws regional.anthropic.claude-sonnet-4-5'],
    ['bedrock', `bedrock/us-gov-west-1/anthropic.${sonnet45}-v1:0`, 'unknown_model'],
    ['bedrock', `bedrock/us.anthropic.${sonnet45}-v1:0`, 'aws regional.anthropic.claude-sonnet-4-5'],
    ['vertex_ai', 'vertex_ai/claude-3-7-sonnet@20250219', 'google claude-3-7-sonnet'],
    ['bedrock', 'bedrock_mantle/us-gov-east-1/nvidia.nemotron-nano-3-30b', 'unknown_model'],
    // Claude Code marks the size of the context.
    ['anthropic', 'claude-opus-5[1m]', 'anthropic claude-opus-5'],
    ['anthropic', 'us.anthropic.claude-opus-5[1m]', 'aws regional.anthropic.claude-opus-5'],
    ['bigmodel', 'glm-5.3', 'zhipuai GLM-5.3'],
    // Azure, whose deployments are named by their owners.
    ['azure', 'gpt-35-turbo', 'openai gpt-3.5-turbo'],
    ['azure', 'gpt-35-turbo-0125', 'openai gpt-3.5-turbo'],
    ['azure', 'gpt-35-turbo-1106', 'openai gpt-3.5-turbo-1106'],
    ['azure', 'azure/gpt-4o-2024-08-06', 'openai gpt-4o'],
    ['azure', 'gpt-5.1-codex-2025-11-13', 'openai gpt-5.1'],
    ['azure_ai', 'DeepSeek-R1', 'azure deepseek-r1'],
    ['azure', 'gpt-4o-prod', 'unknown_model'],
    ['azure', 'my-deployment', 'unknown_model'],
    // Fine-tuned models.
    ['openai', 'ft:gpt-4o-2024-08-06:acme::B1', 'openai ft:gpt-4o'],
    ['openai', 'ft:gpt-4o-mini-2024-07-18:acme:suffix:B1', 'openai ft:gpt-4o-mini'],
    ['openai', 'ft:gpt-4.1-2025-04-14:acme::B1', 'openai ft:gpt-4.1'],
    ['openai', 'ft:gpt-4.1-mini-2025-04-14:acme::B1', 'openai ft:gpt-4.1-mini'],
    ['openai', 'ft:gpt-4.1-nano-2025-04-14:acme::B1:ckpt-step-90', 'openai ft:gpt-4.1-nano'],
    ['openai', 'ft:o4-mini-2025-04-16:acme::B1', 'openai ft:o4-mini'],
    ['openai', 'ft:gpt-3.5-turbo-0125:acme::B1', 'openai ft:gpt-3.5-turbo-'],
    ['openai', 'ft:gpt-4-0613:acme::B1', 'unknown_model'],
    ['openai', 'ft:gpt-9-2030-01-01:acme::B1', 'unknown_model'],
    ['azure', 'gpt-4o-mini-2024-07-18.ft-0e5a1b', 'openai gpt-4o-mini-2024-07-18.ft-'],
    ['azure', 'o4-mini-2025-04-16.ft-0e5a1b', 'unknown_model'],
    ['mistral', 'ft:open-mistral-7b:acme:20240101:abc', 'unknown_model'],
    // Routers.
    ['openrouter', 'openrouter/anthropic/claude-sonnet-4.5', 'openrouter anthropic/claude-sonnet-4.5'],
    ['openrouter', 'anthropic/claude-sonnet-4.5:online', 'openrouter anthropic/claude-sonnet-4.5'],
    ['openrouter', 'anthropic/claude-sonnet-4.5:nitro', 'unknown_model'],
    ['litellm', `bedrock/us.anthropic.${sonnet45}-v1:0`, 'aws regional.anthropic.claude-sonnet-4-5'],
    ['litellm', 'vertex_ai/claude-opus-4-1@20250805', 'google claude-4-opus'],
    ['litellm', 'gemini/gemini-2.5-flash', 'google gemini-2.5-flash'],
    ['litellm', 'xai/grok-4', 'x-ai grok-4-0709'],
    ['litellm_proxy', 'groq/llama-3.3-70b-versatile', 'groq llama-3.3-70b-versatile'],
    ['litellm', 'fireworks_ai/gpt-oss-120b', 'fireworks gpt-oss-120b'],
    ['litellm', 'my-alias', 'unknown_model'],
    ['litellm', 'vercel_ai_gateway/anthropic/claude-haiku-4.5', 'anthropic claude-haiku-4-5'],
    ['', 'vercel_ai_gateway/anthropic/claude-haiku-4.5', 'anthropic claude-haiku-4-5'],
    ['anthropic', 'vercel_ai_gateway/anthropic/claude-haiku-4.5', 'anthropic claude-haiku-4-5'],
    ['', 'vercel_ai_gateway/google/gemini-2.5-pro', 'google gemini-2.5-pro'],
    // What the AI SDK calls its providers.
    ['xai.chat', 'grok-4', 'x-ai grok-4-0709'],
    ['openai.responses', 'gpt-5', 'openai gpt-5'],
    ['anthropic.messages', 'claude-sonnet-4-5', 'anthropic claude-sonnet-4-5'],
    ['google.generative-ai', 'gemini-2.5-pro', 'google gemini-2.5-pro'],
    ['google.vertex.chat', 'gemini-2.5-pro', 'google gemini-2.5-pro'],
    ['groq.chat', 'llama-3.1-8b-instant', 'groq llama-3.1-8b-instant'],
    ['azure-openai.chat', 'o3-mini', 'azure o3-mini'],
    ['togetherai.chat', 'deepseek-ai/DeepSeek-V3', 'together deepseek-ai/DeepSeek-V3'],
    [
      'fireworks',
      'accounts/fireworks/models/llama-v3p3-70b-instruct',
      'fireworks accounts/fireworks/models/llama-v3p3-70b-instruct',
    ],
    ['perplexity-ai', 'sonar', 'perplexity sonar'],
  ];
  for (const [provider, model, expected] of lookups) {
    it(`is ${expected} for (${provider}, ${model})`, () => {
      const entry = findEntry(catalogue, provider, model);
      expect(typeof entry === 'string' ? entry : `${entry.provider} ${entry.id}`).toBe(expected);
    });
  }
});

describe('the provider of a name that says who sells the model (D4.4)', () => {
  const sellers: [model: string, provider: string, entryProvider: string][] = [
    ['openrouter/anthropic/claude-sonnet-4.5', 'openrouter', 'openrouter'],
    ['bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'aws', 'aws'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'aws', 'aws'],
    ['us.moonshotai.kimi-k3', 'aws', 'aws'],
    ['arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-haiku-20240307-v1:0', 'aws', 'aws'],
    ['vertex_ai/claude-opus-4-1@20250805', 'google', 'google'],
    ['claude-opus-4-1@20250805', 'google', 'google'],
    ['projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-5@20250929', 'google', 'google'],
    ['azure/gpt-4o', 'azure', 'openai'],
    ['azure/o1', 'azure', 'azure'],
    ['groq/llama-3.3-70b-versatile', 'groq', 'groq'],
    ['anthropic/claude-sonnet-4-5', 'anthropic', 'anthropic'],
    ['mistralai/mistral-large-2411', 'mistral', 'mistral'],
    ['ft:gpt-4.1-2025-04-14:acme::B1', 'openai', 'openai'],
  ];
  for (const [model, provider, entryProvider] of sellers) {
    it(`is ${provider} for ${model}, at a price on the list of ${entryProvider}`, () => {
      const cost = calcCost(callOf({ provider: '', model }), openInstalledBook());
      expect(cost).toMatchObject({
        provider,
        source: 'catalogue',
        lines: [{ source: { provider: entryProvider } }, {}],
      });
    });
  }

  it('is the maker of a model whose name only its maker uses', () => {
    for (const [model, provider] of [
      ['text-embedding-3-large', 'openai'],
      ['chatgpt-4o-latest', 'openai'],
      ['sonar-pro', 'perplexity'],
      ['embed-multilingual-v3.0', 'cohere'],
      ['text-embedding-005', ''],
      ['gpt-oss-120b', ''],
      ['sonarqube', ''],
    ]) {
      expect(catalogue.deriveProvider(model ?? ''), model).toBe(provider);
    }
  });

  it('is the cloud even where the name hides the model', () => {
    const model = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6';
    const cost = calcCost(callOf({ provider: '', model }), openInstalledBook());
    expect(cost).toMatchObject({ provider: 'aws', source: 'unpriced', unpricedReason: 'unknown_model' });
  });
});
