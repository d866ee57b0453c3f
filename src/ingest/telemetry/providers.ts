import { cloudIn, providerAt, providersIn, withMakers, withoutSdkSuffix } from '../../pricing/provider-names.ts';
import { type Attributes, readFirst } from './otlp/attributes.ts';
import { frameworks } from './tables.ts';

/** The names that other events use for those of spans, so that both form one group. */
const names = providersIn('spans');

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
  return withMakers.has(provider) && !rest.includes('/') ? model : rest;
}

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
