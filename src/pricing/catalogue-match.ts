import type { CatalogueModel, CatalogueProvider, MatchLogic } from './catalogue-data.ts';

/** How names are matched over the catalogue's data. All names are in lower case. */

function matches(logic: MatchLogic, name: string): boolean {
  if ('equals' in logic) return name === logic.equals.toLowerCase();
  if ('starts_with' in logic) return name.startsWith(logic.starts_with.toLowerCase());
  if ('ends_with' in logic) return name.endsWith(logic.ends_with.toLowerCase());
  if ('contains' in logic) return name.includes(logic.contains.toLowerCase());
  if ('regex' in logic) return new RegExp(logic.regex).test(name);
  if ('or' in logic) return logic.or.some((part) => matches(part, name));
  return logic.and.every((part) => matches(part, name));
}

/** Names that SDKs and telemetry give to providers which the catalogue's own matching misses or mistakes. */
const providerAliases: ReadonlyMap<string, string> = new Map([
  ['az.ai.inference', 'azure'],
  ['az.ai.openai', 'azure'],
  ['fireworks_ai', 'fireworks'],
  ['fireworks-ai', 'fireworks'],
  ['togetherai', 'together'],
  ['x_ai', 'x-ai'],
]);

/** The catalogue's provider that an event's provider name means. */
export function findProvider(providers: readonly CatalogueProvider[], name: string): CatalogueProvider | undefined {
  // `azure-openai` would match OpenAI: Azure has entries of its own.
  const known = name.includes('azure') ? 'azure' : (providerAliases.get(name) ?? name);
  return (
    providers.find(({ id }) => id === known) ??
    providers.find(({ provider_match: match }) => match !== undefined && matches(match, known))
  );
}

/** Bedrock names its models `[region.]vendor.model` and would else be taken for the vendor. */
const bedrockModel = /^(?:[a-z-]+\.)?(?:ai21|amazon|anthropic|cohere|deepseek|meta|mistral|openai|qwen)\.[a-z]/;

/** The provider that makes a model of this name. */
export function findMaker(providers: readonly CatalogueProvider[], model: string): CatalogueProvider | undefined {
  if (bedrockModel.test(model)) return providers.find(({ id }) => id === 'aws');
  const untuned = model.startsWith('ft:') ? model.slice('ft:'.length) : model;
  return providers.find(({ model_match: match }) => match !== undefined && matches(match, untuned));
}

/** A model's entry with the provider whose list it stands on: a provider may resell others' models at their prices. */
export type ListedModel = { provider: CatalogueProvider; model: CatalogueModel };

export function findModel(
  providers: readonly CatalogueProvider[],
  provider: CatalogueProvider,
  name: string,
): ListedModel | undefined {
  const dashed = dashDates(name);
  return (
    findListed(providers, provider, name) ?? (dashed === name ? undefined : findListed(providers, provider, dashed))
  );
}

function findListed(
  providers: readonly CatalogueProvider[],
  provider: CatalogueProvider,
  name: string,
): ListedModel | undefined {
  const sellers = [provider.id, ...(provider.fallback_model_providers ?? [])];
  for (const id of sellers) {
    const seller = providers.find((candidate) => candidate.id === id);
    const model = seller?.models.find(({ match }) => matches(match, name));
    if (seller !== undefined && model !== undefined) return { provider: seller, model };
  }
  return undefined;
}

/** Snapshots are dated `20240806` by some and `2024-08-06` by others. */
function dashDates(name: string): string {
  return name.replace(/-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=[-:]|$)/g, '-$1-$2-$3');
}

/** A model's name without the paths that APIs put before it: Gemini's `models/`, Vertex's and Bedrock's full resource names. */
export function bareModelName(model: string): string {
  const name = model.trim().toLowerCase();
  if (name.startsWith('models/')) return name.slice('models/'.length);
  const isResourceName = name.startsWith('arn:aws') || name.includes('publishers/');
  return isResourceName ? name.slice(name.lastIndexOf('/') + 1) : name;
}
