import type { Ecosystem, Source } from '../ecosystem.ts';
import { genAi } from './gen-ai.ts';

const source: Source = { url: 'https://pypi.org/project/mirascope/2.8.2/', version: '2.8.2' };

/** Mirascope. */
export const mirascope: Ecosystem = {
  name: 'mirascope',
  decision: { ...genAi.decision, scope: 'mirascope' },
  besideModel: /^[a-z][\w-]*\/|:(?:completions|responses)$/g,
  // The counts include cached tokens and reasoning, whichever provider answers.
  counts: {
    cacheRead: { names: ['mirascope.response.usage#cache_read_tokens'], source },
    cacheWrite: { names: ['mirascope.response.usage#cache_write_tokens'], source },
    reasoning: { names: ['mirascope.response.usage#reasoning_tokens'], source },
  },
  tags: [{ tag: 'session', names: ['mirascope.ops.session.id'], source }],
  metadataObjects: { names: ['mirascope.ops.session.attributes'], source },
  plain: {
    words: [
      'mirascope.type',
      'mirascope.response.model_id',
      'mirascope.response.provider_id',
      'mirascope.ops.session.id',
      'mirascope.fn.qualname',
      'mirascope.fn.module',
      'mirascope.fn.is_async',
      'mirascope.version.hash',
    ],
    names: ['mirascope.trace.tags'],
    counts: ['mirascope.response.usage'],
    namespaces: ['mirascope'],
    source,
  },
};
