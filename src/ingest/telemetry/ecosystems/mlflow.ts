import type { Ecosystem, Source } from '../ecosystem.ts';

const source: Source = { url: 'https://pypi.org/project/mlflow/3.17.2/', version: '3.17.2' };

/** MLflow. */
export const mlflow: Ecosystem = {
  name: 'mlflow',
  decision: { name: 'mlflow.spanType', calls: new Set(['chat_model', 'llm', 'embedding']), source },
  model: { names: ['mlflow.llm.model', 'mlflow.spanOutputs#model', 'model'], source },
  provider: { names: ['mlflow.llm.provider'], source },
  // Its own counts include cached tokens, whichever provider answers.
  counts: {
    input: { names: ['mlflow.chat.tokenUsage#input_tokens'], source },
    output: { names: ['mlflow.chat.tokenUsage#output_tokens'], source },
    cacheRead: { names: ['mlflow.chat.tokenUsage#cache_read_input_tokens'], source },
    cacheWrite: { names: ['mlflow.chat.tokenUsage#cache_creation_input_tokens'], source },
    cacheWrite1h: { names: ['mlflow.chat.tokenUsage#cache_creation_input_tokens_above_1hr'], source },
    total: { names: ['mlflow.chat.tokenUsage#total_tokens'], source },
  },
  ownUsage: {
    names: [
      'mlflow.spanOutputs#usage',
      'mlflow.spanOutputs#usage_metadata',
      'mlflow.spanOutputs#generations.0.0.message.usage_metadata',
    ],
    source,
  },
  terms: { service_tier: { names: ['mlflow.spanOutputs#service_tier'], source } },
  tags: [
    { tag: 'user', names: ['mlflow.trace.user'], source },
    { tag: 'session', names: ['mlflow.trace.session'], source },
  ],
  plain: {
    words: [
      'mlflow.llm.model',
      'mlflow.llm.provider',
      'mlflow.message.format',
      'mlflow.spanType',
      'mlflow.spanLogLevel',
      'mlflow.traceRequestId',
      'mlflow.experimentId',
      'mlflow.trace.session',
      'mlflow.trace.user',
    ],
    counts: ['mlflow.chat.tokenUsage', 'mlflow.llm.cost', 'mlflow.trace.tokenUsage'],
    namespaces: ['mlflow'],
    source,
  },
};
