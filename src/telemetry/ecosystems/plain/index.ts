import type { PlainAttributes } from '../../ecosystem.ts';
import { adk } from './adk.ts';
import { agentFramework } from './agent-framework.ts';
import { agentOps } from './agentops.ts';
import { agno } from './agno.ts';
import { crewAi } from './crewai.ts';
import { genkit } from './genkit.ts';
import { haystack } from './haystack.ts';
import { langSmith } from './langsmith.ts';
import { liteLlm } from './litellm.ts';
import { llamaIndex } from './llamaindex.ts';
import { mastra } from './mastra.ts';
import { mirascope } from './mirascope.ts';
import { mlflow } from './mlflow.ts';
import { openLit } from './openlit.ts';
import { openRouter } from './openrouter.ts';
import { requests } from './requests.ts';
import { resources } from './resources.ts';
import { strands } from './strands.ts';

/** The tables of emitters whose spans have the attributes of another ecosystem, or are no calls, beside their own. */
export const plainTables: readonly PlainAttributes[] = [
  adk,
  agentFramework,
  agentOps,
  agno,
  crewAi,
  genkit,
  haystack,
  langSmith,
  liteLlm,
  llamaIndex,
  mastra,
  mirascope,
  mlflow,
  openLit,
  openRouter,
  strands,
];

/** What has no emitter of its own. */
export const commonTables: readonly PlainAttributes[] = [requests, resources];
