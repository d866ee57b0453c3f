import type { PlainAttributes, Source } from '../../ecosystem.ts';

const source: Source = { url: 'https://pypi.org/project/langsmith/0.15.1/', version: '0.15.1' };

/** LangSmith. */
export const langSmith: PlainAttributes = {
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
  metadata: [
    {
      prefix: 'langsmith.metadata.',
      except: [
        'usage_metadata',
        'ls_invocation_params',
        'LANGSMITH_ENDPOINT',
        'lc_versions',
        'ls_message_view_id',
        'prompt',
        'messages',
        'inputs',
        'outputs',
      ],
      source,
    },
  ],
  source,
};
