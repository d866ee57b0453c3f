import { type Attributes, readFirst } from './otlp/attributes.ts';

/**
 * OpenTelemetry's names of providers, and the names that other events use, so that both form one group.
 * Source: `gen_ai.provider.name` and `gen_ai.system` in
 * https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/registry/attributes/gen-ai.md, and
 * `mapProviderName` of @ai-sdk/otel 1.0.173.
 */
const names: ReadonlyMap<string, string> = new Map([
  ['az.ai.inference', 'azure'],
  ['az.ai.openai', 'azure'],
  ['gcp.gemini', 'google'],
  ['gcp.gen_ai', 'google'],
  ['gemini', 'google'],
  ['google_genai', 'google'],
  ['google.genai', 'google'],
  ['googleai', 'google'],
  ['google-gla', 'google'],
  ['google.generative-ai', 'google'],
  ['mistral_ai', 'mistral'],
  ['mistralai', 'mistral'],
  ['x_ai', 'x-ai'],
  ['xai', 'x-ai'],
  ['cohere_chat', 'cohere'],
  ['fireworks_ai', 'fireworks'],
  ['together_ai', 'together'],
]);

/** Frameworks and proxies that write their own name in place of a provider's. */
const frameworks: ReadonlySet<string> = new Set([
  ...['agent-framework', 'agent_framework', 'agno', 'autogen', 'crewai', 'dspy', 'gcp.vertex.agent', 'haystack'],
  ...['langchain', 'langgraph', 'litellm', 'litellm_proxy', 'llama_index', 'llamaindex', 'microsoft.agent_framework'],
  ...['microsoft.agents', 'mirascope', 'pydantic-ai', 'pydantic_ai', 'semantic_kernel', 'smolagents', 'strands'],
  ...['strands-agents', '_other', 'custom', 'unknown', 'none', 'null'],
]);

/** The hosts of providers, by which the provider behind another's client shows; by default the name is in the host. */
const hosts: readonly (readonly [host: RegExp, provider?: string])[] = [
  [/^api\.openai\.com$/, 'openai'],
  [/\.(?:openai|cognitiveservices|services\.ai)\.azure\.com$|\.azure-api\.net$/, 'azure'],
  [/^api\.anthropic\.com$/, 'anthropic'],
  [/^bedrock[\w.-]*\.amazonaws\.com$/, 'aws'],
  [/\.googleapis\.com$/, 'google'],
  [/^api\.(deepseek|fireworks|groq|mistral|perplexity|cerebras|cohere|novita|together)\.(?:com|ai|xyz)$/],
  [/^api\.x\.ai$/, 'x-ai'],
  [/^(?:api\.)?openrouter\.ai$/, 'openrouter'],
  [/^api\.moonshot\.(?:ai|cn)$/, 'moonshotai'],
];

/** Attributes with the address of a request, from which its provider shows. */
const addresses = ['server.address', 'gen_ai.openai.api_base', 'llm.openai.api_base', 'url.full', 'http.url'];

/** The suffix that the AI SDK adds to a provider's name, as in `openai.responses`. */
const sdkSuffix = /\.(?:chat|responses|messages|completion|embedding|textembedding|image|transcription|speech)$/;

/** Clouds, whose names libraries put together with those of makers and interfaces: `amazon_bedrock`, `anthropic-vertex`. */
const clouds: readonly (readonly [part: RegExp, provider: string])[] = [
  [/bedrock/, 'aws'],
  [/azure/, 'azure'],
  [/vertex/, 'google'],
];

/** A provider's name in other events; empty for a framework's. */
export function plainProvider(name: string): string {
  const plain = name.trim().toLowerCase().replace(sdkSuffix, '');
  if (frameworks.has(plain)) return '';
  return names.get(plain) ?? clouds.find(([part]) => part.test(plain))?.[1] ?? plain;
}

/**
 * A model's name without the provider before it, which LiteLLM and others write: `anthropic/claude-sonnet-4-5`. Names
 * with a maker before them are the provider's own, as at OpenRouter and Together.
 */
export function withoutProvider(model: string, provider: string | undefined): string {
  const slash = model.indexOf('/');
  const rest = model.slice(slash + 1);
  if (slash < 1 || rest === '' || plainProvider(model.slice(0, slash)) !== provider) return model;
  return ofMakers.has(provider) && !rest.includes('/') ? model : rest;
}

/** Providers whose own names of models have a maker before them, which may be themselves: `openrouter/auto`. */
const ofMakers: ReadonlySet<string> = new Set(['openrouter', 'together', 'huggingface', 'vercel', 'novita']);

/** An attribute of Strands, which for Node names the app in place of a provider, and its scope after it. */
const ofApp = 'gen_ai.event.start_time';

/**
 * The provider of a call (D27.9): that of the address, where a client of OpenAI's serves another; otherwise the first
 * that is named and is no framework's. Undefined if none is known.
 */
export function providerOf(attributes: Attributes, of: readonly string[], scope: string): string | undefined {
  const named = readFirst(attributes, of, (value) =>
    typeof value === 'string' && !(value === scope && attributes.has(ofApp))
      ? plainProvider(value) || undefined
      : undefined,
  );
  if (named !== undefined && named !== 'openai') return named;
  return readFirst(attributes, addresses, (value) => ofHost(hostOf(String(value)))) ?? named;
}

function ofHost(host: string): string | undefined {
  for (const [pattern, provider] of hosts) {
    const found = pattern.exec(host);
    if (found !== null) return provider ?? found[1];
  }
  return undefined;
}

const hostOf = (address: string): string =>
  address
    .replace(/^\w+:\/\//, '')
    .replace(/[/:?#].*$/, '')
    .toLowerCase();
