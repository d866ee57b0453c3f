import type { Agent } from '../agent.ts';
import type { Source } from '../ecosystem.ts';

const source: Source = { url: 'https://www.npmjs.com/package/@google/gemini-cli-core/v/0.61.0', version: '0.61.0' };

/** Gemini CLI. Its counts are those of Gemini's `usageMetadata`. */
export const geminiCli: Agent = {
  name: 'gemini-cli',
  answered: ['gemini_cli.api_response'],
  failed: ['gemini_cli.api_error'],
  requires: 'input_token_count',
  model: ['model', 'model_name'],
  provider: 'google',
  elapsedMs: ['duration_ms', 'duration'],
  usageField: 'usageMetadata',
  usage: {
    input_token_count: ['promptTokenCount'],
    output_token_count: ['candidatesTokenCount'],
    cached_content_token_count: ['cachedContentTokenCount'],
    thoughts_token_count: ['thoughtsTokenCount'],
    tool_token_count: ['toolUsePromptTokenCount'],
    total_token_count: ['totalTokenCount'],
  },
  errorMessage: ['error.message', 'error'],
  errorType: ['error.type', 'status_code'],
  user: ['user.email', 'installation.id'],
  session: ['session.id'],
  plain: {
    words: ['auth_type', 'event.name', 'event.timestamp', 'finish_reasons', 'interactive', 'prompt_id', 'role'],
    source,
  },
  source,
};
