import type { Ecosystem, Source } from '../ecosystem.ts';
import { genAi } from './gen-ai.ts';

const source: Source = { url: 'https://pypi.org/project/langsmith/0.15.1/', version: '0.15.1' };

/** LangSmith. */
export const langSmith: Ecosystem = {
  name: 'langsmith',
  decision: { ...genAi.decision, scope: 'langsmith' },
  ownUsage: { names: ['langsmith.metadata.usage_metadata', 'langsmith.usage_metadata'], source },
  // Python writes the details with `repr`.
  counts: {
    cacheRead: { names: ['gen_ai.usage.input_token_details#cache_read'], source },
    cacheWrite: { names: ['gen_ai.usage.input_token_details#cache_creation'], source },
    cacheWrite5m: { names: ['gen_ai.usage.input_token_details#ephemeral_5m_input_tokens'], source },
    cacheWrite1h: { names: ['gen_ai.usage.input_token_details#ephemeral_1h_input_tokens'], source },
    inputAudio: { names: ['gen_ai.usage.input_token_details#audio'], source },
    outputAudio: { names: ['gen_ai.usage.output_token_details#audio'], source },
    reasoning: { names: ['gen_ai.usage.output_token_details#reasoning'], source },
  },
  metadata: [
    {
      prefix: 'langsmith.metadata.',
      except:
        /^(?:usage_metadata|model|model_name|stream|prompt|messages|inputs|outputs|LANGSMITH_.*|ls_.*|revision_id|_type)$/,
      source,
    },
  ],
  plain: {
    words: [
      'langsmith.span.kind',
      'langsmith.span.id',
      'langsmith.span.parent_id',
      'langsmith.span.dotted_order',
      'langsmith.trace.id',
      'langsmith.trace.session_id',
      'langsmith.is_root',
    ],
    names: ['langsmith.span.tags', 'langsmith.trace.name', 'langsmith.trace.session_name', 'gen_ai.serialized.name'],
    counts: ['langsmith.metadata.usage_metadata', 'langsmith.usage_metadata'],
    namespaces: ['langsmith'],
    events: ['new_token'],
    source,
  },
};
