import type { PlainAttributes, Source } from '../../ecosystem.ts';

const source: Source = {
  url: 'https://pypi.org/project/openinference-instrumentation-agno/1.0.15/',
  version: '1.0.15',
};

/** Agno, by the instrumentation of OpenInference. */
export const agno: PlainAttributes = {
  words: ['agno.agent.id', 'agno.run.id', 'agno.team.id', 'agno.workflow.id'],
  namespaces: ['agno'],
  source,
};
