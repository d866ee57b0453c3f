import { maxTermLength, type TermName, type Terms } from '../../lib/units.ts';
import { anthropicMessages, googleGenAi, openRouterUsage, perplexityUsage } from './sources.ts';
import type { UsageObject } from './usage-object.ts';
import { type Paths, paths, pathsInBothCases } from './usage-paths.ts';

const vertexOpenAi = 'https://cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview';

/** Where usage objects name terms. */
const termRows: readonly (readonly [term: TermName, list: Paths])[] = [
  [
    'service_tier',
    [
      ...paths(anthropicMessages, 'service_tier'),
      ...paths(openRouterUsage, 'serviceTier'),
      ...paths(googleGenAi, 'service_tier', 'trafficType', 'traffic_type'),
      ...paths(vertexOpenAi, 'extra_properties.google.traffic_type'),
    ],
  ],
  ['speed', paths(anthropicMessages, 'speed')],
  ['geo', paths(anthropicMessages, 'inference_geo')],
  ['search_context_size', pathsInBothCases(perplexityUsage, 'search_context_size')],
];

export const noTerms: Terms = {};

/** The value of a term, in lower case; undefined where the text names none or is too long. */
export function asTerm(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > maxTermLength) return undefined;
  const text = value.toLowerCase().toWellFormed();
  // Gemini's `unspecified` and `TRAFFIC_TYPE_UNSPECIFIED` name nothing.
  return text.endsWith('unspecified') || text.length > maxTermLength ? undefined : text;
}

/** Adds the terms that a usage object names to `named`. Terms that are in `named` already stay. */
export function readUsageTerms(usage: UsageObject, named: Terms): Terms {
  let terms = named;
  for (const [term, list] of termRows) {
    const value = usage.value(list);
    if (value === undefined) continue;
    const text = asTerm(value);
    if (text === undefined) usage.refuseLongText(list, maxTermLength);
    else if (terms[term] === undefined) terms = { ...terms, [term]: text };
  }
  return terms;
}
