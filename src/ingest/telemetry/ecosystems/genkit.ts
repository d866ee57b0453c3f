import type { Ecosystem, Source } from '../ecosystem.ts';

const source: Source = { url: 'https://www.npmjs.com/package/@genkit-ai/core/v/1.42.0', version: '1.42.0' };

/** Genkit. */
export const genkit: Ecosystem = {
  name: 'genkit',
  decision: { name: 'genkit:metadata:subtype', calls: new Set(['model', 'background-model', 'embedder']), source },
  model: { names: ['genkit:name'], source },
  besideModel: /^[a-z][\w-]*\//i,
  counts: {
    input: { names: ['genkit:output#usage.inputTokens'], source },
    output: { names: ['genkit:output#usage.outputTokens'], source },
    total: { names: ['genkit:output#usage.totalTokens'], source },
    cacheRead: { names: ['genkit:output#usage.cachedContentTokens'], source },
    reasoning: { names: ['genkit:output#usage.thoughtsTokens'], source },
  },
  ownUsage: { names: ['genkit:output#raw.usage', 'genkit:output#custom.usageMetadata'], source },
  plain: {
    words: [
      'genkit:type',
      'genkit:state',
      'genkit:isRoot',
      'genkit:sessionId',
      'genkit:threadName',
      'genkit:metadata:subtype',
      'genkit:metadata:flow:name',
    ],
    names: ['genkit:name', 'genkit:path', 'genkit:qualifiedPath'],
    source,
  },
};
