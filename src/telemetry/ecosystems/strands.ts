import type { Ecosystem, Source } from '../ecosystem.ts';
import { genAi } from './gen-ai.ts';

const tracer: Source = {
  url: 'https://github.com/strands-agents/sdk-python/blob/main/src/strands/telemetry/tracer.py',
  version: '2026-11-20',
};

/** Strands Agents. Its spans follow the conventions, with Bedrock's counts: the input leaves out cached tokens. */
export const strands: Ecosystem = {
  name: 'strands',
  decision: genAi.decision,
  counts: { cacheWrite: { names: ['gen_ai.usage.cache_write_input_tokens'], source: tracer } },
  excludesCache: [{ scope: 'strands.telemetry.tracer', source: tracer }],
};
