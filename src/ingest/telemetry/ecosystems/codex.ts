import type { Agent } from '../agent.ts';
import type { Source } from '../ecosystem.ts';

const source: Source = { url: 'https://www.npmjs.com/package/@openai/codex/v/0.169.0-linux-x64', version: '0.169.0' };

/** Codex CLI. Its counts are those of OpenAI's Responses API: totals include their parts. */
export const codex: Agent = {
  name: 'codex',
  answered: ['codex.sse_event'],
  failed: [],
  // Only the last event of a stream has counts.
  requires: 'input_token_count',
  model: ['model', 'slug'],
  provider: 'openai',
  elapsedMs: ['duration_ms'],
  counts: {
    input: 'input_token_count',
    output: 'output_token_count',
    cacheRead: 'cached_token_count',
    cacheWrite: 'cache_write_token_count',
    reasoning: 'reasoning_token_count',
    // The total of the answer, in spite of its name.
    total: 'tool_token_count',
  },
  errorMessage: ['error.message'],
  errorType: [],
  user: ['user.email', 'user.account_id'],
  session: ['conversation.id'],
  plain: {
    words: [
      'app.version',
      'attempt',
      'auth_mode',
      'event.kind',
      'event.name',
      'event.timestamp',
      'http.response.status_code',
      'originator',
      'reasoning_effort',
      'reasoning_summary',
      'slug',
      'success',
      'terminal.type',
      'tool_token_count',
    ],
    source,
  },
  source,
};
