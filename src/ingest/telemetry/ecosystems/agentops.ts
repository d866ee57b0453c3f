import type { Ecosystem, Source } from '../ecosystem.ts';

const source: Source = { url: 'https://pypi.org/project/agentops/0.4.21/', version: '0.4.21' };

/** AgentOps. */
export const agentOps: Ecosystem = {
  name: 'agentops',
  decision: { name: 'gen_ai.request.type', calls: new Set(['chat', 'completion', 'embedding']), source },
  plain: {
    words: ['agentops.span.kind', 'agentops.project.id', 'operation.version'],
    names: ['agentops.tags', 'operation.name'],
    namespaces: ['agentops'],
    source,
  },
};
