import type { Ecosystem, Source } from '../ecosystem.ts';

const source: Source = { url: 'https://pypi.org/project/haystack-ai/3.4.1/', version: '3.4.1' };

/** Haystack's own tracer. */
export const haystack: Ecosystem = {
  name: 'haystack',
  decision: {
    name: 'haystack.component.type',
    calls: new Set(),
    pattern: /(?:Generator|Embedder)$/,
    requires: 'haystack.component.output',
    source,
  },
  model: {
    names: ['haystack.component.output#replies.0.meta.model', 'haystack.component.output#meta.model'],
    source,
  },
  ownUsage: {
    names: [
      'haystack.component.output#replies.0.meta.usage',
      'haystack.component.output#replies.0._meta.usage',
      'haystack.component.output#meta.0.usage',
      'haystack.component.output#meta.usage',
    ],
    source,
  },
  plain: {
    words: [
      'haystack.component.fully_qualified_type',
      'haystack.component.visits',
      'haystack.pipeline.execution_mode',
      'haystack.agent.max_steps',
    ],
    names: ['haystack.component.name', 'haystack.component.type'],
    namespaces: ['haystack'],
    source,
  },
};
