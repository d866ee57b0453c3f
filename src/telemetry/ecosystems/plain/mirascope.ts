import type { PlainAttributes, Source } from '../../ecosystem.ts';

const source: Source = { url: 'https://pypi.org/project/mirascope/2.8.2/', version: '2.8.2' };

/** Mirascope. */
export const mirascope: PlainAttributes = {
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
};
