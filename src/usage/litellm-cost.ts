import { type JsonObject, ownValue } from '../lib/json-object.ts';

/** In the usage of streams LiteLLM's own cost is where OpenRouter's charge is. */
export function withoutLiteLlmCost(usage: JsonObject, provider: string | undefined): JsonObject {
  if (provider === 'openrouter' || typeof ownValue(usage, 'cost') !== 'number') return usage;
  const { cost: _, ...rest } = usage;
  return rest;
}
