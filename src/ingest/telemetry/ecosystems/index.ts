import type { Agent } from '../agent.ts';
import type { Ecosystem } from '../ecosystem.ts';
import { adk } from './adk.ts';
import { agentFramework } from './agent-framework.ts';
import { agentOps } from './agentops.ts';
import { agno } from './agno.ts';
import { aiSdk } from './ai-sdk.ts';
import { anthropicSdk } from './anthropic-sdk.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { geminiCli } from './gemini-cli.ts';
import { genAi } from './gen-ai.ts';
import { genkit } from './genkit.ts';
import { haystack } from './haystack.ts';
import { langfuse } from './langfuse.ts';
import { langSmith } from './langsmith.ts';
import { liteLlm } from './litellm.ts';
import { llamaIndex } from './llamaindex.ts';
import { mastra } from './mastra.ts';
import { mirascope } from './mirascope.ts';
import { mlflow } from './mlflow.ts';
import { openInference } from './openinference.ts';
import { openLit } from './openlit.ts';
import { openLlmetry } from './openllmetry.ts';
import { pydantic } from './pydantic-ai.ts';
import { strands } from './strands.ts';

/**
 * The ecosystems, in the order in which they decide whether a span is a call. Those that write a value for every kind
 * of span, and those with a scope of their own, come before the conventions, which most of them follow too.
 */
export const ecosystems: readonly Ecosystem[] = [
  aiSdk,
  openInference,
  agno,
  langfuse,
  liteLlm,
  langSmith,
  mirascope,
  mastra,
  openLit,
  agentFramework,
  genAi,
  anthropicSdk,
  strands,
  openLlmetry,
  pydantic,
  agentOps,
  mlflow,
  haystack,
  llamaIndex,
  genkit,
  adk,
];

export const agents: readonly Agent[] = [claudeCode, codex, geminiCli];
