import type { Ecosystem, Source } from '../ecosystem.ts';
import { genAi } from './gen-ai.ts';

const tracer: Source = {
  url: 'https://github.com/strands-agents/sdk-python/blob/main/src/strands/telemetry/tracer.py',
  version: '2026-11-20',
};

const forNode: Source = {
  url: 'https://www.npmjs.com/package/@strands-agents/sdk/v/1.16.0',
  version: '1.16.0',
};

/** Strands Agents, which names itself in place of a provider. */
export const strands: Ecosystem = {
  name: 'strands',
  decision: genAi.decision,
  counts: { cacheWrite: { names: ['gen_ai.usage.cache_write_input_tokens'], source: tracer } },
  // For Node it passes on the input count of these models, which leaves out cached tokens; for Python it adds them.
  excludesCache: [
    {
      has: 'gen_ai.event.start_time',
      exceptScope: 'strands.telemetry.tracer',
      provider: ['anthropic', 'claude', 'nova'],
      source: forNode,
    },
  ],
  plain: {
    words: [
      'event_loop.cycle_id',
      'event_loop.parent_cycle_id',
      'gen_ai.event.start_time',
      'gen_ai.event.end_time',
      'gen_ai.tool.status',
      'tool.status',
    ],
    namespaces: ['event_loop'],
    source: tracer,
  },
};
