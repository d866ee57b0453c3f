import type { Ecosystem, Source } from '../ecosystem.ts';
import { genAi } from './gen-ai.ts';

const source: Source = { url: 'https://www.npmjs.com/package/@mastra/otel-exporter/v/1.4.0', version: '1.4.0' };
const bridge: Source = { url: 'https://www.npmjs.com/package/@mastra/otel-bridge/v/1.5.4', version: '1.5.4' };

/** Mastra, by its exporter and its bridge. */
export const mastra: Ecosystem = {
  name: 'mastra',
  decision: { ...genAi.decision, scope: '@mastra' },
  // The bridge has a span of a request for all that an agent asks for.
  sums: { scope: '@mastra/otel-bridge', source: bridge },
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
