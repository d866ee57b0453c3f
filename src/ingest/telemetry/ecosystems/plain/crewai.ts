import type { PlainAttributes, Source } from '../../ecosystem.ts';

const source: Source = {
  url: 'https://pypi.org/project/openinference-instrumentation-crewai/1.1.21/',
  version: '1.1.21',
};

/** CrewAI, by the instrumentation of OpenInference and its own. */
export const crewAi: PlainAttributes = {
  words: [
    'crew_id',
    'crew_key',
    'crew_fingerprint',
    'task_id',
    'task_key',
    'task_fingerprint',
    'flow_id',
    'crewai_version',
  ],
  names: ['crew_process', 'flow_name'],
  source,
};
