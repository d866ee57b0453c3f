import type { Ecosystem, Source } from '../ecosystem.ts';

const attributes: Source = {
  url: 'https://github.com/langfuse/langfuse/blob/6275144614/packages/shared/src/server/otel/attributes.ts',
  version: '@langfuse/tracing 5.11.1',
};
/** The wrapper for OpenAI subtracts the parts from `input` and `output`, so that the counts are disjoint. */
const usageDetails: Source = {
  url: 'https://www.npmjs.com/package/@langfuse/openai/v/5.11.1',
  version: '5.11.1',
};

/** Langfuse's own spans. */
export const langfuse: Ecosystem = {
  name: 'langfuse',
  decision: {
    name: 'langfuse.observation.type',
    calls: new Set(['generation', 'embedding']),
    source: attributes,
  },
  model: { names: ['langfuse.observation.model.name'], source: attributes },
  addedCounts: { names: ['langfuse.observation.usage_details'], source: usageDetails },
  cost: { names: ['langfuse.observation.cost_details'], source: attributes },
  failure: {
    name: 'langfuse.observation.level',
    value: 'ERROR',
    message: 'langfuse.observation.status_message',
    source: attributes,
  },
  tags: [
    { tag: 'user', names: ['langfuse.user.id'], source: attributes },
    { tag: 'session', names: ['langfuse.session.id'], source: attributes },
    { tag: 'feature', names: ['langfuse.trace.name'], isWeak: true, source: attributes },
  ],
  metadata: [
    { prefix: 'langfuse.trace.metadata.', source: attributes },
    {
      prefix: 'langfuse.observation.metadata.',
      // Attributes that the wrapper for OpenAI's responses copies from the answer.
      except:
        /^(?:instructions|tools|metadata|status|reasoning|error|incomplete_details|previous_response_id|response_format)$/,
      source: usageDetails,
    },
  ],
  plain: {
    words: [
      'langfuse.environment',
      'langfuse.release',
      'langfuse.version',
      'langfuse.trace.public',
      'langfuse.observation.completion_start_time',
      'langfuse.observation.level',
      'langfuse.observation.prompt.version',
      'langfuse.experiment.id',
      'langfuse.experiment.item.id',
    ],
    names: ['langfuse.trace.tags', 'langfuse.observation.prompt.name', 'langfuse.experiment.name'],
    counts: ['langfuse.observation.usage_details', 'langfuse.observation.cost_details'],
    namespaces: ['langfuse'],
    source: attributes,
  },
};
