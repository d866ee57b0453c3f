// What an answer costs, by the provider's documentation of its usage and its prices.
import { z } from 'zod';
import { wholeUnits } from '../../support/decimal.ts';
import type { Answered } from './provider.ts';

/**
 * What a client's spans don't say: of which kind tokens are, which then count as the wider kind; that prompts were not
 * cached (`fresh`), that there were searches; any usage; or anything of the call.
 */
export type Unsaid = 'cached' | 'reasoning' | 'audio' | 'hour' | 'fresh' | 'searches' | 'usage' | 'call';

export interface Expected {
  readonly tokens: Readonly<Record<string, number>>;
  readonly units: Readonly<Record<string, number>>;
  /** In picodollars. */
  readonly cost: bigint;
}

const count = z.number().int().nonnegative().default(0);
const openAiUsage = z
  .object({
    prompt_tokens: count,
    completion_tokens: count,
    prompt_tokens_details: z.object({ cached_tokens: count, audio_tokens: count }).optional(),
    completion_tokens_details: z.object({ reasoning_tokens: count, audio_tokens: count }).optional(),
    input_tokens: count,
    output_tokens: count,
    input_tokens_details: z.object({ cached_tokens: count }).optional(),
    output_tokens_details: z.object({ reasoning_tokens: count }).optional(),
  })
  .transform((usage) => {
    const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.input_tokens_details?.cached_tokens ?? 0;
    const reasoning =
      usage.completion_tokens_details?.reasoning_tokens ?? usage.output_tokens_details?.reasoning_tokens ?? 0;
    const [heard, spoken] = [
      usage.prompt_tokens_details?.audio_tokens ?? 0,
      usage.completion_tokens_details?.audio_tokens ?? 0,
    ];
    return {
      input: usage.prompt_tokens + usage.input_tokens - cached - heard,
      cache_read: cached,
      input_audio: heard,
      output: usage.completion_tokens + usage.output_tokens - reasoning - spoken,
      reasoning,
      output_audio: spoken,
    };
  });
const messagesUsage = z
  .object({
    input_tokens: count,
    output_tokens: count,
    cache_read_input_tokens: count,
    cache_creation: z.object({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count }).optional(),
    server_tool_use: z.object({ web_search_requests: count }).optional(),
  })
  .transform((usage) => ({
    input: usage.input_tokens,
    output: usage.output_tokens,
    cache_read: usage.cache_read_input_tokens,
    cache_write: usage.cache_creation?.ephemeral_5m_input_tokens ?? 0,
    cache_write_1h: usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
    web_searches: usage.server_tool_use?.web_search_requests ?? 0,
  }));

/** Kinds of tokens, the wider kind as which each counts if it isn't said, and the word for that. */
const wider: readonly (readonly [Unsaid, kind: string, as: string])[] = [
  ['cached', 'cache_read', 'input'],
  ['reasoning', 'reasoning', 'output'],
  ['audio', 'input_audio', 'input'],
  ['audio', 'output_audio', 'output'],
  ['hour', 'cache_write_1h', 'cache_write'],
];

/** USD per million tokens, and per search. Audio and reasoning have the prices of text. */
export const openAiPrices = { input_per_mtok: 0.25, output_per_mtok: 2, cache_read_per_mtok: 0.025 };
export const embeddingPrices = { input_per_mtok: 0.02, output_per_mtok: 0 };
/** Claude Opus 4.8: https://platform.claude.com/docs/en/about-claude/pricing */
const claudePrices = { input: 5, output: 25, cache_read: 0.5, cache_write: 6.25, cache_write_1h: 10 };
const searchPrice = 0.01;

function priceOf({ api }: Answered, kind: string): number {
  if (api === 'messages') return z.number().parse(claudePrices[kind as keyof typeof claudePrices]);
  if (api === 'embeddings') return embeddingPrices.input_per_mtok;
  if (kind === 'cache_read') return openAiPrices.cache_read_per_mtok;
  return kind.startsWith('input') ? openAiPrices.input_per_mtok : openAiPrices.output_per_mtok;
}

/** What a call is that answered so, as spans say that leave out some things. */
export function expectedOf(answered: Answered, unsaid: readonly Unsaid[]): Expected {
  const usage: Record<string, number> =
    unsaid.includes('usage') || answered.usage === undefined
      ? {}
      : (answered.api === 'messages' ? messagesUsage : openAiUsage).parse(answered.usage);
  const { web_searches: searches = 0, ...tokens } = usage;
  for (const [word, kind, as] of wider) {
    if (!unsaid.includes(word)) continue;
    tokens[as] = (tokens[as] ?? 0) + (tokens[kind] ?? 0);
    tokens[kind] = 0;
  }
  if (unsaid.includes('fresh')) tokens.input = 0;
  const used = Object.entries(tokens).filter(([, amount]) => amount > 0);
  const ofTokens = used.map(([kind, amount]) => BigInt(amount) * wholeUnits(priceOf(answered, kind), 6));
  const paidSearches = unsaid.includes('searches') ? 0 : searches;
  return {
    tokens: Object.fromEntries(used),
    units: paidSearches === 0 ? {} : { web_searches: paidSearches },
    cost: ofTokens.reduce((sum, cost) => sum + cost, BigInt(paidSearches) * wholeUnits(searchPrice, 12)),
  };
}
