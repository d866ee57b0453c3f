/** What documents shapes that several modules read: the types of a provider's own SDK, or else its API reference. */

const github = 'https://github.com';

export const openAiCompletions = `${github}/openai/openai-node/blob/v7.59.0/src/resources/completions.ts`;
export const openAiResponses = `${github}/openai/openai-node/blob/v7.59.0/src/resources/responses/responses.ts`;
export const anthropicMessages = `${github}/anthropics/anthropic-sdk-typescript/blob/sdk-v1.14.0/src/resources/beta/messages/messages.ts`;
export const googleGenAi = `${github}/googleapis/js-genai/blob/v3.3.0/src/types.ts`;
/** `Usage` of interactions. */
export const googleInteractions = 'https://www.npmjs.com/package/@google/genai/v/3.3.0';
export const bedrockMetrics =
  'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html';
export const mistralUsage = `${github}/mistralai/client-ts/blob/v2.6.1/src/models/components/usageinfo.ts`;
export const mistralConversation = `${github}/mistralai/client-ts/blob/v2.6.1/src/models/components/conversationusageinfo.ts`;
export const mistralOcr = `${github}/mistralai/client-ts/blob/v2.6.1/src/models/components/ocrusageinfo.ts`;
export const cohereMeta = `${github}/cohere-ai/cohere-typescript/blob/8.0.1/src/api/types/ApiMetaBilledUnits.ts`;
export const xAiToolUsage = 'https://docs.x.ai/developers/tools/tool-usage-details';
/** `GenerationUsage`; https://www.alibabacloud.com/help/en/model-studio/context-cache */
export const dashScopeUsage =
  'https://github.com/dashscope/dashscope-sdk-java/blob/main/src/main/java/com/alibaba/dashscope/aigc/generation/GenerationUsage.java';
export const perplexityUsage = `${github}/perplexityai/perplexity-node/blob/v0.38.1/src/generated/api.ts`;
export const openRouterUsage = `${github}/OpenRouterTeam/typescript-sdk/blob/v1.2.54/src/models/chatusage.ts`;
export const openRouterCost = 'https://openrouter.ai/docs/use-cases/usage-accounting';
export const replicatePrediction = 'https://www.npmjs.com/package/replicate/v/1.4.0';
export const aiSdkUsage = `${github}/vercel/ai/blob/ai@7.0.77/packages/ai/src/types/usage.ts`;
