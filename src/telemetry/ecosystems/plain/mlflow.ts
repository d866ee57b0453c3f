import type { PlainAttributes, Source } from '../../ecosystem.ts';

const source: Source = { url: 'https://pypi.org/project/mlflow/3.17.2/', version: '3.17.2' };

/** MLflow. */
export const mlflow: PlainAttributes = {
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
};
