import type { Agent } from '../agent.ts';
import type { Ecosystem } from '../ecosystem.ts';
import { aiSdk } from './ai-sdk.ts';
import { anthropicSdk } from './anthropic-sdk.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { geminiCli } from './gemini-cli.ts';
import { genAi } from './gen-ai.ts';
import { langfuse } from './langfuse.ts';
import { openInference } from './openinference.ts';
import { openLlmetry } from './openllmetry.ts';
import { pydantic } from './pydantic-ai.ts';
import { strands } from './strands.ts';

/**
 * The ecosystems, in the order in which they decide whether a span is a call. Those that write a value for every kind
 * of span come before the conventions, which most of them follow too.
 */
export const ecosystems: readonly Ecosystem[] = [
  aiSdk,
  openInference,
  langfuse,
  genAi,
  anthropicSdk,
  pydantic,
  strands,
  openLlmetry,
];

export const agents: readonly Agent[] = [claudeCode, codex, geminiCli];
