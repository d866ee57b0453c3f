import type { Ecosystem, Source } from '../ecosystem.ts';
import { genAi } from './gen-ai.ts';

const usage: Source = {
  url: 'https://github.com/pydantic/pydantic-ai/blob/4fda38988/pydantic_ai_slim/pydantic_ai/usage.py',
  version: '2026-08-22',
};
const spans: Source = {
  url: 'https://github.com/pydantic/pydantic-ai/blob/4fda38988/pydantic_ai_slim/pydantic_ai/_instrumentation.py',
  version: '2026-08-22',
};

/** Pydantic AI and Logfire. They follow the conventions, and add their own details of usage and content. */
export const pydantic: Ecosystem = {
  name: 'pydantic-ai',
  decision: genAi.decision,
  counts: {
    cacheRead: { names: ['gen_ai.usage.details.cache_read_tokens'], source: usage },
    cacheWrite: { names: ['gen_ai.usage.details.cache_write_tokens'], source: usage },
    reasoning: { names: ['gen_ai.usage.details.reasoning_tokens'], source: usage },
    inputAudio: { names: ['gen_ai.usage.details.input_audio_tokens'], source: usage },
    outputAudio: { names: ['gen_ai.usage.details.output_audio_tokens'], source: usage },
  },
  cost: { names: ['operation.cost'], source: spans },
  content: {
    names: [
      'all_messages_events',
      'pydantic_ai.all_messages',
      'final_result',
      'model_request_parameters',
      'request_data',
      'response_data',
      'tool_arguments',
      'tool_response',
      'logfire.msg',
      'logfire.json_schema',
      'events',
    ],
    source: spans,
  },
};
