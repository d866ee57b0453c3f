import type { PlainAttributes, Source } from '../../ecosystem.ts';

const source: Source = { url: 'https://pypi.org/project/haystack-ai/3.4.1/', version: '3.4.1' };

/** Haystack's own tracer. */
export const haystack: PlainAttributes = {
  words: [
    'haystack.component.fully_qualified_type',
    'haystack.component.visits',
    'haystack.pipeline.execution_mode',
    'haystack.agent.max_steps',
  ],
  names: ['haystack.component.name', 'haystack.component.type'],
  namespaces: ['haystack'],
  source,
};
