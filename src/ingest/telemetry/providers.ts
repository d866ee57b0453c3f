import { cloudIn, providerAt, providersIn, withoutSdkSuffix } from '../../pricing/provider-names.ts';
import { type Attributes, readFirst } from './otlp/attributes.ts';

/** The names that other events use for those of spans, so that both form one group. */
const names = providersIn('spans');

/** Frameworks and proxies that write their own name in place of a provider's. */
const frameworks: ReadonlySet<string> = new Set([
  ...['agent-framework', 'agent_framework', 'agno', 'autogen', 'crewai', 'dspy', 'gcp.vertex.agent', 'haystack'],
  ...['langchain', 'langgraph', 'litellm', 'litellm_proxy', 'llama_index', 'llamaindex', 'microsoft.agent_framework'],
  ...['microsoft.agents', 'mirascope', 'pydantic-ai', 'pydantic_ai', 'semantic_kernel', 'smolagents', 'strands'],
  ...['strands-agents', 'ag2', 'beeai', 'genkit', 'google_adk', 'google-adk', 'instructor', 'livekit', 'logfire'],
  ...['mastra', 'openai_agents', 'openai-agents', 'pipecat', 'portkey', 'semantic-kernel', 'spring_ai', 'traceloop'],
  ...['_other', 'custom', 'unknown', 'none', 'null'],
]);

/** Attributes with the address of a request, by which the provider behind another's client shows. */
const addresses = ['server.address', 'gen_ai.openai.api_base', 'llm.openai.api_base', 'url.full', 'http.url'];

/** A provider's name in other events; empty for a framework's. */
export function plainProvider(name: string): string {
  const plain = withoutSdkSuffix(name.trim().toLowerCase());
  return frameworks.has(plain) ? '' : (names.get(plain) ?? cloudIn(plain) ?? plain);
}

/** A model's name without LiteLLM's provider (`anthropic/claude-sonnet-4-5`). A maker stays, as at OpenRouter. */
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

/** The address's provider where OpenAI's client serves another, or the first that is no framework (D27.9). */
export function providerOf(attributes: Attributes, of: readonly string[], scope: string): string | undefined {
  const named = readFirst(attributes, of, (value) =>
    typeof value === 'string' && !(value === scope && attributes.has(ofApp))
      ? plainProvider(value) || undefined
      : undefined,
  );
  if (named !== undefined && named !== 'openai') return named;
  return readFirst(attributes, addresses, (value) => providerAt(hostOf(String(value)))) ?? named;
}

const hostOf = (address: string): string =>
  address
    .replace(/^\w+:\/\//, '')
    .replace(/[/:?#].*$/, '')
    .toLowerCase();
