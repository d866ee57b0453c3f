import { readFileSync } from 'node:fs';
import type { Json } from '../client.ts';

/**
 * Requests that real packages wrote for a provider that answers the same to all: a prompt of 1,000 tokens, 600 of them
 * cached, and an answer of 200, 50 of them reasoning. `recorded` in each file names the packages. All prompts have the
 * text SECRET-PROMPT, and all answers SECRET-ANSWER.
 */
export const recordings = [
  'ai-5',
  'ai-5-anthropic',
  'ai-6',
  'ai-6-anthropic',
  'ai-7-legacy',
  'ai-7-otel',
  'langfuse-openai',
  'openinference-openai',
  'openllmetry-openai',
] as const;

export type Recording = (typeof recordings)[number];

export const recordedText = (name: Recording): string =>
  readFileSync(new URL(`../../telemetry/recorded/${name}.json`, import.meta.url), 'utf8');

export const recorded = (name: Recording): Json => JSON.parse(recordedText(name)) as Json;
