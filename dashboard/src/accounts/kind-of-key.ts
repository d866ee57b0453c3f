import type { ProviderAccount } from '../api/types.ts';

export type ProviderKind = ProviderAccount['kind'];

export const kindNames: Readonly<Record<ProviderKind, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  openrouter: 'OpenRouter',
};

/** The provider that issued a key, by how it begins; OpenAI's have begun in several ways. */
export const kindOfKey = (key: string): ProviderKind =>
  key.startsWith('sk-ant-') ? 'anthropic' : key.startsWith('sk-or-') ? 'openrouter' : 'openai';
