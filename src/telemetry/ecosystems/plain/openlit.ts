import type { PlainAttributes, Source } from '../../ecosystem.ts';

const source: Source = { url: 'https://pypi.org/project/openlit/1.45.0/', version: '1.45.0' };

/** OpenLIT. */
export const openLit: PlainAttributes = {
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
};
