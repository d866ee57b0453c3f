import type { Ecosystem, Source } from '../ecosystem.ts';
import { genAi } from './gen-ai.ts';

const source: Source = { url: 'https://www.npmjs.com/package/@mastra/otel-exporter/v/1.4.0', version: '1.4.0' };

/** Mastra, by its exporter and its bridge. */
export const mastra: Ecosystem = {
  name: 'mastra',
  decision: { ...genAi.decision, scope: '@mastra' },
  counts: { cacheRead: { names: ['gen_ai.usage.cached_input_tokens'], source } },
  metadata: [{ prefix: 'mastra.metadata.', except: /^(?:body|headers|modelMetadata|runId)$/, source }],
  plain: {
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
    source,
  },
};
