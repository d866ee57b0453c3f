/** The pages and files that document the shapes: the types of a provider's own SDK, or else its API reference. */

const github = 'https://github.com';

export const openAiCompletions = `${github}/openai/openai-node/blob/v7.59.0/src/resources/completions.ts`;
export const openAiResponses = `${github}/openai/openai-node/blob/v7.59.0/src/resources/responses/responses.ts`;
export const openAiRealtime = `${github}/openai/openai-node/blob/v7.59.0/src/resources/realtime/realtime.ts`;
export const openAiTranscriptions = `${github}/openai/openai-node/blob/v7.59.0/src/resources/audio/transcriptions.ts`;
export const openAiImages = `${github}/openai/openai-node/blob/v7.59.0/src/resources/images.ts`;
/** `Usage` of the events `turn.completed`. */
export const codexUsage = 'https://www.npmjs.com/package/@openai/codex-sdk';
export const openAiAgents = `${github}/openai/openai-agents-python/blob/v0.24.0/src/agents/usage.py`;
export const anthropicMessages = `${github}/anthropics/anthropic-sdk-typescript/blob/sdk-v1.14.0/src/resources/beta/messages/messages.ts`;
export const googleGenAi = `${github}/googleapis/js-genai/blob/v3.3.0/src/types.ts`;
/** `Usage` of interactions. */
export const googleInteractions = 'https://www.npmjs.com/package/@google/genai/v/3.3.0';
export const vertexOpenAi = 'https://cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview';
export const bedrockTokenUsage = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html';
export const bedrockNova = 'https://docs.aws.amazon.com/nova/latest/userguide/prompt-caching.html';
export const bedrockInvoke = 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html';
export const bedrockMetrics =
  'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html';
export const bedrockGuardrails =
  'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_GuardrailUsage.html';
export const mistralUsage = `${github}/mistralai/client-ts/blob/v2.6.1/src/models/components/usageinfo.ts`;
export const mistralConversation = `${github}/mistralai/client-ts/blob/v2.6.1/src/models/components/conversationusageinfo.ts`;
export const mistralOcr = `${github}/mistralai/client-ts/blob/v2.6.1/src/models/components/ocrusageinfo.ts`;
export const cohereUsage = `${github}/cohere-ai/cohere-typescript/blob/8.0.1/src/api/types/Usage.ts`;
export const cohereMeta = `${github}/cohere-ai/cohere-typescript/blob/8.0.1/src/api/types/ApiMetaBilledUnits.ts`;
export const ollamaAnswer = `${github}/ollama/ollama/blob/main/docs/api.md`;
export const groqUsage = `${github}/groq/groq-typescript/blob/v1.4.0/src/resources/completions.ts`;
export const xAiUsage = `${github}/xai-org/xai-proto/blob/main/proto/xai/api/v1/usage.proto`;
export const xAiToolUsage = 'https://docs.x.ai/developers/tools/tool-usage-details';
export const xAiCost = 'https://docs.x.ai/developers/cost-tracking';
export const deepSeekUsage = 'https://api-docs.deepseek.com/api/create-chat-completion';
/** `GenerationUsage`; https://www.alibabacloud.com/help/en/model-studio/context-cache */
export const dashScopeUsage =
  'https://github.com/dashscope/dashscope-sdk-java/blob/main/src/main/java/com/alibaba/dashscope/aigc/generation/GenerationUsage.java';
export const dashScopeMedia =
  'https://github.com/dashscope/dashscope-sdk-java/blob/main/src/main/java/com/alibaba/dashscope/aigc/multimodalconversation/MultiModalConversationUsage.java';
export const moonshotUsage = 'https://platform.moonshot.ai/docs/api/chat';
export const perplexityUsage = `${github}/perplexityai/perplexity-node/blob/v0.38.1/src/generated/api.ts`;
export const openRouterUsage = `${github}/OpenRouterTeam/typescript-sdk/blob/v1.2.54/src/models/chatusage.ts`;
export const openRouterCost = 'https://openrouter.ai/docs/use-cases/usage-accounting';
export const liteLlmUsage = `${github}/BerriAI/litellm/blob/main/litellm/types/utils.py`;
export const langChainUsage =
  'https://python.langchain.com/api_reference/core/messages/langchain_core.messages.ai.UsageMetadata.html';
export const vercelGateway = 'https://www.npmjs.com/package/@ai-sdk/gateway/v/4.0.146';
export const aiSdkXAi = 'https://www.npmjs.com/package/@ai-sdk/xai/v/5.0.12';
export const replicatePrediction = 'https://www.npmjs.com/package/replicate/v/1.4.0';
export const aiSdkUsage = `${github}/vercel/ai/blob/ai@7.0.77/packages/ai/src/types/usage.ts`;
export const aiSdkModelUsage = `${github}/vercel/ai/blob/ai@7.0.77/packages/provider/src/language-model/v4/language-model-v4-usage.ts`;
export const aiSdk4Usage = 'https://v4.ai-sdk.dev/docs/reference/ai-sdk-core/generate-text';
export const voyageUsage = 'https://docs.voyageai.com/reference/embeddings-api';
