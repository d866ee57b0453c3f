import type { Ecosystem, Source } from '../ecosystem.ts';

const source: Source = { url: 'https://pypi.org/project/google-adk/2.13.0/', version: '2.13.0' };

/** Google's Agent Development Kit, for Python and TypeScript. */
export const adk: Ecosystem = {
  name: 'adk',
  decision: {
    name: 'gen_ai.system',
    calls: new Set(['gcp.vertex.agent']),
    requires: 'gen_ai.request.model',
    source,
  },
  ownUsage: {
    names: ['gcp.vertex.agent.llm_response#usageMetadata', 'gcp.vertex.agent.llm_response#usage_metadata'],
    source,
  },
  plain: {
    words: [
      'gcp.vertex.agent.event_id',
      'gcp.vertex.agent.invocation_id',
      'gcp.vertex.agent.session_id',
      'gcp.vertex.agent.associated_event_ids',
      'gcp.project_id',
    ],
    source,
  },
};
