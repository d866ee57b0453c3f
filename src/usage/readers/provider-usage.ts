import { readAiSdk, readAiSdkModel } from './ai-sdk.ts';
import type { Answerer } from './answerer.ts';
import { readBedrock } from './bedrock.ts';
import { readCohere, readTotalOnly } from './cohere.ts';
import { readGemini, readInteraction } from './gemini.ts';
import { readOpenAiChat } from './openai-chat.ts';
import { readTokens } from './openai-responses.ts';
import type { TokenCounts, TokenReader } from './token-reader.ts';
import type { UsageObject } from './usage-object.ts';
import './without-price.ts';

/** The shapes, in the order of trial. Fields tell them, never the provider: gateways answer in each other's. */
const readers: readonly TokenReader[] = [
  readGemini,
  readInteraction,
  readAiSdkModel,
  readAiSdk,
  readBedrock,
  readOpenAiChat,
  readTokens,
  readCohere,
  readTotalOnly,
];

/** Reads the token counts of a provider's usage object; null when it has no count in a known shape. */
export function readProviderTokens(usage: UsageObject, answerer: Answerer): TokenCounts | null {
  for (const read of readers) {
    const counts = read(usage, answerer);
    if (counts !== null) return counts;
  }
  return null;
}
