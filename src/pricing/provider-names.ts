import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseJson } from '../lib/json.ts';
import { priceFile } from './price-file.ts';

const names = z.array(z.string()).default([]);

/** What others call a provider, in lower case, by the one name that calls and prices have for it. */
const providerNames = z.record(
  z.string(),
  z.strictObject({
    /**
     * In OpenTelemetry: `gen_ai.provider.name` and `gen_ai.system` in
     * https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/registry/attributes/gen-ai.md, and
     * `mapProviderName` of @ai-sdk/otel 1.0.173.
     */
    spans: names,
    /** In other events, where the catalogue's own patterns miss or confuse them. */
    events: names,
    /** In LiteLLM's records. */
    litellm: names,
    /** On further lists, with dashes between words. */
    lists: names,
    /** Of a cloud: a part of the names that libraries make of it and a maker or an interface. */
    part: z.string().optional(),
    /** A pattern of the hosts of its API. */
    host: z.string().optional(),
    /** Whether its own names of models have a maker before them, which may be itself: `openrouter/auto`. */
    hasMakers: z.boolean().default(false),
  }),
);

const providers = Object.entries(providerNames.parse(parseJson(readFileSync(priceFile('provider-names'), 'utf8'))));

/** The providers by what these call them. */
export const providersIn = (
  ...places: readonly ('spans' | 'events' | 'litellm' | 'lists')[]
): ReadonlyMap<string, string> =>
  new Map(
    providers.flatMap(([provider, called]) =>
      places.flatMap((place) => called[place]).map((name) => [name, provider] as const),
    ),
  );

/** The providers whose own names of models have a maker before them. */
export const withMakers: ReadonlySet<string | undefined> = new Set(
  providers.flatMap(([provider, { hasMakers }]) => (hasMakers ? provider : [])),
);

const clouds = providers.flatMap(([provider, { part }]) => (part === undefined ? [] : [{ provider, part }]));

/** The cloud whose name is in this one: `azure-openai` is Azure, `anthropic_bedrock` is Bedrock. */
export const cloudIn = (name: string): string | undefined => clouds.find(({ part }) => name.includes(part))?.provider;

const hosts = providers.flatMap(([provider, { host }]) =>
  host === undefined ? [] : [{ provider, pattern: new RegExp(host) }],
);

/** The provider at this host, in lower case. */
export const providerAt = (host: string): string | undefined =>
  hosts.find(({ pattern }) => pattern.test(host))?.provider;

/** A name without the suffix that the AI SDK adds to it, as in `openai.responses` and `xai.chat`. */
export const withoutSdkSuffix = (name: string): string =>
  name.replace(/\.(?:chat|responses|messages|completion|embedding|textembedding|image|transcription|speech)$/, '');
