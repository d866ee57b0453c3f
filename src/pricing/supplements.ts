import type { Supplement } from './supplement-data.ts';
import { anthropicSupplements } from './supplements/anthropic.ts';
import { awsSupplements } from './supplements/aws.ts';
import { azureSupplements } from './supplements/azure.ts';
import { cohereSupplements } from './supplements/cohere.ts';
import { deepseekSupplements } from './supplements/deepseek.ts';
import { googleSupplements } from './supplements/google.ts';
import { groqSupplements } from './supplements/groq.ts';
import { mistralSupplements } from './supplements/mistral.ts';
import { openaiSupplements } from './supplements/openai.ts';
import { othersSupplements } from './supplements/others.ts';
import { perplexitySupplements } from './supplements/perplexity.ts';
import { xAiSupplements } from './supplements/x-ai.ts';

/**
 * The prices of units and terms (D26.2), which the catalogue package lacks. Each names the page that supports it. Every
 * price book is stored with them and the corrections, so a change of them changes no past number (D5.5, D5.7).
 */
export const supplements: readonly Supplement[] = [
  ...openaiSupplements,
  ...azureSupplements,
  ...anthropicSupplements,
  ...googleSupplements,
  ...awsSupplements,
  ...mistralSupplements,
  ...cohereSupplements,
  ...xAiSupplements,
  ...deepseekSupplements,
  ...groqSupplements,
  ...perplexitySupplements,
  ...othersSupplements,
];
