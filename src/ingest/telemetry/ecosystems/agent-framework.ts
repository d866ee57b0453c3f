import type { Ecosystem, Source } from '../ecosystem.ts';
import { genAi } from './gen-ai.ts';

const source: Source = { url: 'https://pypi.org/project/agent-framework/1.23.0/', version: '1.23.0' };

/** Microsoft's Agent Framework and Semantic Kernel. */
export const agentFramework: Ecosystem = {
  name: 'agent-framework',
  decision: { ...genAi.decision, scope: 'agent_framework' },
  // It passes on the input count of these models, which leaves out cached tokens.
  excludesCache: [{ scope: 'agent_framework', provider: ['anthropic', 'claude', 'aws'], source }],
  plain: {
    words: ['executor.id', 'executor.type', 'workflow.id', 'workflow.run_id', 'agent_framework.function.name'],
    namespaces: ['agent_framework', 'semantic_kernel'],
    source,
  },
};
