import type { Ecosystem, Source } from '../ecosystem.ts';
import { openInference } from './openinference.ts';

const source: Source = {
  url: 'https://pypi.org/project/openinference-instrumentation-agno/1.0.15/',
  version: '1.0.15',
};

/** Agno, by the instrumentation of OpenInference. */
export const agno: Ecosystem = {
  name: 'agno',
  decision: openInference.decision,
  // It passes on the input count of these models, which leaves out cached tokens.
  excludesCache: [{ scope: 'openinference.instrumentation.agno', provider: ['anthropic', 'claude', 'aws'], source }],
  plain: {
    words: ['agno.agent.id', 'agno.run.id', 'agno.team.id', 'agno.workflow.id'],
    namespaces: ['agno'],
    source,
  },
};
