import type { Agent } from '../agent.ts';
import type { Source } from '../ecosystem.ts';

const source: Source = { url: 'https://www.npmjs.com/package/@anthropic-ai/claude-code/v/2.1.331', version: '2.1.331' };

/** Claude Code. Its counts are Anthropic's: the input leaves out cached tokens. */
export const claudeCode: Agent = {
  name: 'claude-code',
  answered: ['claude_code.api_request'],
  failed: ['claude_code.api_error'],
  requires: 'input_tokens',
  model: ['model'],
  provider: 'anthropic',
  // On Bedrock and Vertex the model's name says so.
  ownModel: /^claude-[^@]*$/,
  elapsedMs: ['duration_ms'],
  usageField: 'usage',
  usage: {
    input_tokens: ['input_tokens'],
    output_tokens: ['output_tokens'],
    cache_read_tokens: ['cache_read_input_tokens'],
    cache_creation_tokens: ['cache_creation_input_tokens'],
    cache_creation_5m_tokens: ['cache_creation', 'ephemeral_5m_input_tokens'],
    cache_creation_1h_tokens: ['cache_creation', 'ephemeral_1h_input_tokens'],
  },
  // `normal` is the ordinary speed, which has no price of its own.
  speed: { name: 'speed', value: 'fast' },
  cost: 'cost_usd',
  errorMessage: ['error'],
  errorType: ['status_code'],
  user: ['user.email', 'user.account_uuid', 'user.account_id', 'user.id'],
  session: ['session.id'],
  requestId: ['request_id', 'client_request_id'],
  plain: {
    words: [
      'event.name',
      'event.sequence',
      'prompt.id',
      'app.entrypoint',
      'app.version',
      'attempt',
      'client_request_id',
      'decision',
      'effort',
      'query_source',
      'source',
      'success',
      'terminal.type',
      'ttft_ms',
    ],
    names: ['organization.id', 'tool_name'],
    source,
  },
  source,
};
