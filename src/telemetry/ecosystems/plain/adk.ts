import type { PlainAttributes, Source } from '../../ecosystem.ts';

const source: Source = { url: 'https://pypi.org/project/google-adk/2.13.0/', version: '2.13.0' };

/** Google's Agent Development Kit, for Python and TypeScript. */
export const adk: PlainAttributes = {
  words: [
    'gcp.vertex.agent.event_id',
    'gcp.vertex.agent.invocation_id',
    'gcp.vertex.agent.session_id',
    'gcp.vertex.agent.associated_event_ids',
    'gcp.project_id',
  ],
  source,
};
