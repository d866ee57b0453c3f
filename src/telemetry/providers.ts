/**
 * OpenTelemetry's names of providers, and the names that other events use, so that both form one group.
 * Source: `gen_ai.provider.name` and `gen_ai.system` in
 * https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/registry/attributes/gen-ai.md, and
 * `mapProviderName` of @ai-sdk/otel 1.0.173.
 */
const names: ReadonlyMap<string, string> = new Map([
  ['aws.bedrock', 'aws'],
  ['amazon-bedrock', 'aws'],
  ['az.ai.inference', 'azure'],
  ['az.ai.openai', 'azure'],
  ['azure.ai.inference', 'azure'],
  ['azure.ai.openai', 'azure'],
  ['gcp.gemini', 'google'],
  ['gcp.gen_ai', 'google'],
  ['gcp.vertex_ai', 'google'],
  ['gemini', 'google'],
  ['google-gla', 'google'],
  ['google-vertex', 'google'],
  ['google.generative-ai', 'google'],
  ['google.vertex', 'google'],
  ['vertex_ai', 'google'],
  ['mistral_ai', 'mistral'],
  ['mistralai', 'mistral'],
  ['x_ai', 'x-ai'],
  ['xai', 'x-ai'],
]);

/** Frameworks that write their own name in place of a provider's. */
const frameworks: ReadonlySet<string> = new Set(['strands-agents', 'strands']);

/** The suffix that the AI SDK adds to a provider's name, as in `openai.responses`. */
const sdkSuffix = /\.(?:chat|responses|messages|completion|embedding|textembedding|image|transcription|speech)$/;

/** A provider's name in other events; empty for a framework's. */
export function plainProvider(name: string): string {
  const plain = name.trim().toLowerCase().replace(sdkSuffix, '');
  if (frameworks.has(plain)) return '';
  return names.get(plain) ?? (sdkSuffix.test(name) ? plain : name.trim());
}
