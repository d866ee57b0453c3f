import type { PlainAttributes, Source } from '../../ecosystem.ts';

const source: Source = { url: 'https://pypi.org/project/strands-agents/1.62.0/', version: '1.62.0' };

/** Strands Agents. */
export const strands: PlainAttributes = {
  words: [
    'event_loop.cycle_id',
    'event_loop.parent_cycle_id',
    'gen_ai.event.start_time',
    'gen_ai.event.end_time',
    'gen_ai.tool.status',
    'tool.status',
  ],
  namespaces: ['event_loop'],
  source,
};
