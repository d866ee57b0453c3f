import type { PlainAttributes, Source } from '../../ecosystem.ts';

const source: Source = { url: 'https://www.npmjs.com/package/@mastra/otel-exporter/v/1.4.0', version: '1.4.0' };

/** Mastra, by its exporter and its bridge. */
export const mastra: PlainAttributes = {
  words: [
    'mastra.span.type',
    'mastra.span_type',
    'mastra.trace_id',
    'mastra.span_id',
    'mastra.entity.id',
    'mastra.entity.type',
    'mastra.completion_start_time',
    'mastra.finish_reason',
  ],
  namespaces: ['mastra'],
  metadata: [{ prefix: 'mastra.metadata.', source }],
  source,
};
