import { isObject, textAt } from './json.ts';

/** Parts of the addresses of providers that other makers' clients are used with. */
const hosts: readonly (readonly [part: string, provider: string])[] = [
  ['azure.com', 'azure'],
  ['openrouter.ai', 'openrouter'],
  ['groq.com', 'groq'],
  ['x.ai', 'x-ai'],
  ['deepseek.com', 'deepseek'],
  ['mistral.ai', 'mistral'],
  ['together.', 'together'],
  ['fireworks.ai', 'fireworks'],
  ['cerebras.ai', 'cerebras'],
  ['perplexity.ai', 'perplexity'],
  ['moonshot.', 'moonshotai'],
  ['amazonaws.com', 'aws'],
  ['aiplatform.googleapis.com', 'google-vertex'],
  ['googleapis.com', 'google'],
  ['anthropic.com', 'anthropic'],
];

/** The provider that a client's address or settings name; undefined if they name none that is known here. */
export function hostProvider(client: object): string | undefined {
  if (!isObject(client)) return undefined;
  if (client.vertexai === true) return 'google-vertex';
  const url = textAt(client, 'baseURL');
  const host = url === undefined ? '' : (/^[a-z]+:\/\/([^/:]+)/i.exec(url)?.[1] ?? '');
  return hosts.find(([part]) => host.endsWith(part) || host.includes(`.${part}`))?.[1];
}
