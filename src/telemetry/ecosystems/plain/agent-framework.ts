import type { PlainAttributes, Source } from '../../ecosystem.ts';

const source: Source = { url: 'https://pypi.org/project/agent-framework/1.23.0/', version: '1.23.0' };

/** Microsoft's Agent Framework and Semantic Kernel. */
export const agentFramework: PlainAttributes = {
  words: ['executor.id', 'executor.type', 'workflow.id', 'workflow.run_id', 'agent_framework.function.name'],
  namespaces: ['agent_framework', 'semantic_kernel'],
  source,
};
