import { providersIn } from './provider-names.ts';

/** Maps sellers to one name each: the catalogue's own (`x-ai`), so that models that it lacks are found under it. */
const aliases = providersIn('lists');

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
  ...['ollama', 'ollama-chat', 'lmstudio', 'lm-studio', 'llamacpp', 'llama-cpp', 'llamafile', 'lemonade'],
  ...['hosted-vllm', 'vllm', 'local', 'docker-model-runner', 'xinference'],
]);

export const isSelfHosted = (seller: string): boolean => selfHosted.has(seller);
