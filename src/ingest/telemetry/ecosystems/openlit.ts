import type { Ecosystem, Source } from '../ecosystem.ts';
import { genAi } from './gen-ai.ts';

const source: Source = { url: 'https://pypi.org/project/openlit/1.45.0/', version: '1.45.0' };

/** OpenLIT. */
export const openLit: Ecosystem = {
  name: 'openlit',
  decision: { ...genAi.decision, scope: 'openlit' },
  // These instrumentations pass on counts as their providers send them.
  excludesCache: ['anthropic', 'bedrock', 'claude_agent_sdk'].map((of) => ({
    scope: `openlit.instrumentation.${of}`,
    source,
  })),
  excludesReasoning: ['google_ai_studio', 'vertexai'].map((of) => ({
    scope: `openlit.instrumentation.${of}`,
    source,
  })),
  counts: {
    cacheRead: { names: ['gen_ai.usage.prompt_tokens_details.cached_tokens'], source },
    cacheWrite: { names: ['gen_ai.usage.prompt_tokens_details.cache_creation_tokens'], source },
    reasoning: { names: ['gen_ai.usage.completion_tokens_details.reasoning_tokens'], source },
    outputAudio: { names: ['gen_ai.usage.completion_tokens_details.audio_tokens'], source },
  },
  cost: { names: ['gen_ai.usage.cost'], source },
  plain: {
    words: [
      'gen_ai.endpoint',
      'gen_ai.execution.mode',
      'gen_ai.graph.status',
      'gen_ai.sdk.version',
      'gen_ai.framework.name',
      'openlit.agent.version_hash',
    ],
    names: ['gen_ai.application_name', 'gen_ai.environment', 'gen_ai.request.user'],
    namespaces: ['openlit'],
    source,
  },
};
