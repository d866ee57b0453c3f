/**
 * The names of sellers on further lists and in calls, mapped to one. Those of the catalogue's providers are its own
 * names (`x-ai`), so that a model which the catalogue lacks is found under them.
 */
const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    alibaba: ['dashscope', 'alibaba-cloud', 'alibabacloud', 'aliyun', 'bailian', 'qwen', 'tongyi'],
    aws: ['bedrock', 'bedrock-converse', 'bedrock-mantle', 'amazon-bedrock', 'sagemaker'],
    azure: ['azure-ai', 'azure-cognitive-services', 'azure-text', 'azure-openai'],
    cloudflare: ['cloudflare-workers-ai', 'workers-ai'],
    cohere: ['cohere-chat'],
    fireworks: ['fireworks-ai', 'fireworks-ai-embedding-models'],
    'github-copilot': ['copilot'],
    google: ['gemini', 'google-vertex', 'google-vertex-anthropic', 'google-gemini', 'google-genai', 'palm'],
    'jina-ai': ['jina', 'jinaai'],
    meta: ['meta-llama', 'llama', 'meta-ai'],
    mistral: ['codestral', 'text-completion-codestral', 'mistralai', 'mistral-ai'],
    moonshotai: ['moonshot', 'moonshot-ai', 'kimi'],
    novita: ['novita-ai'],
    nvidia: ['nvidia-nim', 'nim'],
    openai: ['text-completion-openai', 'openai-responses'],
    perplexity: ['perplexity-ai', 'perplexity-agent'],
    together: ['together-ai', 'togetherai'],
    vercel: ['vercel-ai-gateway', 'ai-gateway', 'gateway', 'v0'],
    voyageai: ['voyage', 'voyage-ai'],
    'x-ai': ['xai', 'grok'],
    zai: ['z-ai', 'zai-org'],
    zhipuai: ['zhipu', 'glm', 'bigmodel'],
  }).flatMap(([seller, names]) => names.map((name) => [name, seller] as const)),
);

/** One spelling of a seller's name: `vertex_ai-anthropic_models` is `google`, `fireworks_ai` is `fireworks`. */
export function sellerOf(name: string): string {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/[\s._]+/g, '-');
  if (plain.startsWith('vertex-ai')) return 'google';
  return aliases.get(plain) ?? plain;
}

/** Gateways that sell other sellers' models at list prices and name the seller in the model's prefix. */
const gateways: ReadonlySet<string> = new Set(['litellm', 'litellm-proxy', 'vercel', 'cloudflare-ai-gateway']);

export const isGateway = (seller: string): boolean => gateways.has(seller);

/** Software that runs models on one's own machines. Its names never take a vendor's price. */
const selfHosted: ReadonlySet<string> = new Set([
  'ollama',
  'ollama-chat',
  'lmstudio',
  'lm-studio',
  'llamacpp',
  'llama-cpp',
  'llamafile',
  'lemonade',
  'hosted-vllm',
  'vllm',
  'local',
  'docker-model-runner',
  'xinference',
]);

export const isSelfHosted = (seller: string): boolean => selfHosted.has(seller);
