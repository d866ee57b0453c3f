import type { PlainAttributes, Source } from '../../ecosystem.ts';

const source: Source = {
  url: 'https://openrouter.ai/docs/guides/features/broadcast/otel-collector',
  version: '2026-01-22',
};

/** OpenRouter's broadcast. */
export const openRouter: PlainAttributes = {
  words: [
    'openrouter.app_id',
    'openrouter.entity_id',
    'openrouter.finish_reason',
    'openrouter.generation_id',
    'openrouter.native_finish_reason',
    'openrouter.provider_slug',
    'openrouter.request_id',
    'openrouter.source',
    'openrouter.user_id',
    'span.level',
    'span.type',
  ],
  names: ['openrouter.api_key_name', 'openrouter.provider_name', 'trace.name'],
  namespaces: ['openrouter', 'span'],
  metadata: [
    { prefix: 'trace.metadata.', source },
    { prefix: 'span.metadata.', source },
  ],
  source,
};
