import type { PlainAttributes, Source } from '../../ecosystem.ts';

const source: Source = { url: 'https://www.npmjs.com/package/@genkit-ai/core/v/1.42.0', version: '1.42.0' };

/** Genkit. */
export const genkit: PlainAttributes = {
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
};
