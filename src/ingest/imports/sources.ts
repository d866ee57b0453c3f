import { helicone } from './helicone.ts';
import { langfuse } from './langfuse.ts';
import { liteLlm } from './litellm.ts';
import { openAiUsage } from './openai-usage.ts';
import type { ImportSource } from './source.ts';

/** The systems whose exports can be imported, by their name in the command (D16.2). */
export const importSources = {
  langfuse,
  helicone,
  litellm: liteLlm,
  'openai-usage': openAiUsage,
} as const satisfies Readonly<Record<string, ImportSource>>;
