import type { CatalogueModel, CatalogueProvider, MatchLogic } from './catalogue-data.ts';
import { isFineTuned, isOfOtherPartition, spellings } from './model-names.ts';
import { cloudIn, providersIn, withoutSdkSuffix } from './provider-names.ts';

/** Finds providers and models in the catalogue's data by name. All names are in lower case. */

/**
 * How specific the match of a name is: `equals` beats `regex`, which beats parts of the name; a longer part beats a
 * shorter one. Null when the name doesn't match.
 */
export function rankMatch(logic: MatchLogic, name: string): number | null {
  if (!matches(logic, name)) return null;
  if ('equals' in logic) return Number.POSITIVE_INFINITY;
  if ('regex' in logic) return Number.MAX_SAFE_INTEGER;
  if ('starts_with' in logic) return logic.starts_with.length;
  if ('ends_with' in logic) return logic.ends_with.length;
  if ('contains' in logic) return logic.contains.length;
  return Math.max(...('or' in logic ? logic.or : logic.and).map((part) => rankMatch(part, name) ?? 0));
}

function matches(logic: MatchLogic, name: string): boolean {
  if ('equals' in logic) return name === logic.equals.toLowerCase();
  if ('starts_with' in logic) return name.startsWith(logic.starts_with.toLowerCase());
  if ('ends_with' in logic) return name.endsWith(logic.ends_with.toLowerCase());
  if ('contains' in logic) return name.includes(logic.contains.toLowerCase());
  if ('regex' in logic) return new RegExp(logic.regex).test(name);
  if ('or' in logic) return logic.or.some((part) => matches(part, name));
  return logic.and.every((part) => matches(part, name));
}

/** Provider names in SDKs and telemetry, some of which the catalogue's own matching misses or confuses. */
const named = providersIn('spans', 'events');

/**
 * The catalogue's provider for the provider name of an event. A cloud comes first: it sells other makers' models at its own
 * prices.
 */
export function findProvider(providers: readonly CatalogueProvider[], name: string): CatalogueProvider | undefined {
  const plain = withoutSdkSuffix(name);
  const known = cloudIn(plain) ?? named.get(plain) ?? plain;
  return (
    providers.find(({ id }) => id === known) ??
    providers.find(({ provider_match: match }) => match !== undefined && matches(match, known))
  );
}

/** The vendors in Bedrock's names of models. */
const vendors =
  'ai21|amazon|anthropic|cohere|deepseek|google|luma|meta|minimax|mistral|moonshot|moonshotai|nvidia|openai|qwen|stability|twelvelabs|writer|xai|zai';

/** Bedrock's model names, `[region.]vendor.model`. They belong to Bedrock, not to the vendor. */
const bedrockModel = new RegExp(`^(?:[a-z-]+\\.)?(?:${vendors})\\.[a-z]`);

/** Whether a model's name has a region or a profile and a vendor before it, as only Bedrock's names have. */
export const followsBedrock = (model: string): boolean => bedrockProfile.test(model);

const bedrockProfile = new RegExp(`^(?:us|eu|apac|au|jp|in|ca|global)\\.(?:${vendors})\\.[a-z]`);

/** Vertex's suffix for the version of another maker's model. */
const vertexVersion = /@(?:\d{8}|default)$/;

/** Model names that only their makers use and that the catalogue doesn't match. */
const makerNames: readonly (readonly [name: RegExp, provider: string])[] = [
  [/^(?:text-embedding-(?:3|ada)|chatgpt-|codex-mini|computer-use|(?:davinci|babbage)-002)/, 'openai'],
  [/^sonar(?:-|$)/, 'perplexity'],
  [/^embed-(?:v4|english|multilingual)/, 'cohere'],
];

/** Open models that their maker doesn't sell. Their price depends on the host. */
const unsoldModel = /^gpt-oss/;

/** The maker of a model, or the cloud whose naming scheme the name follows. */
export function findMaker(providers: readonly CatalogueProvider[], model: string): CatalogueProvider | undefined {
  if (bedrockModel.test(model)) return providers.find(({ id }) => id === 'aws');
  if (vertexVersion.test(model)) return providers.find(({ id }) => id === 'google');
  if (unsoldModel.test(model)) return undefined;
  const untuned = model.startsWith('ft:') ? model.slice('ft:'.length) : model;
  const maker = makerNames.find(([name]) => name.test(untuned));
  if (maker !== undefined) return providers.find(({ id }) => id === maker[1]);
  return providers.find(({ model_match: match }) => match !== undefined && matches(match, untuned));
}

/** A model's entry and the provider that lists it, which may be another maker: providers resell at makers' prices. */
export type ListedModel = { provider: CatalogueProvider; model: CatalogueModel };

/** The entry of a model on a provider's list. The exact name is looked up first, then other spellings, then the entry's own. */
export function findModel(
  providers: readonly CatalogueProvider[],
  provider: CatalogueProvider,
  name: string,
): ListedModel | undefined {
  if (isOfOtherPartition(name)) return undefined;
  for (const spelling of spellings(provider.id, name)) {
    const listed = findListed(providers, provider, spelling);
    if (listed !== undefined) return listed;
  }
  // Some entries don't match the name that they have on the list.
  const model = provider.models.find(({ id }) => id.toLowerCase() === name);
  return model && { provider, model };
}

function findListed(
  providers: readonly CatalogueProvider[],
  provider: CatalogueProvider,
  name: string,
): ListedModel | undefined {
  const sellers = [provider.id, ...(provider.fallback_model_providers ?? [])];
  for (const id of sellers) {
    const seller = providers.find((candidate) => candidate.id === id);
    const model = seller?.models.find(
      (entry) => matches(entry.match, name) && isFineTuned(entry.id) === isFineTuned(name),
    );
    if (seller !== undefined && model !== undefined) return { provider: seller, model };
  }
  return undefined;
}
