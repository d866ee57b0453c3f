import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { waitForUpdate } from '@pydantic/genai-prices';
import { z } from 'zod';
import { parseJson } from '../lib/json.ts';
import { type CatalogueProvider, type Correction, catalogueData, correctionsData } from './catalogue-data.ts';
import { type CatalogueEntry, readEntry } from './catalogue-entry.ts';
import { findMaker, findModel, findProvider, type ListedModel } from './catalogue-match.ts';
import { bareModelName, cloudOfResource, isOfOtherPartition, splitPrefix } from './model-names.ts';

/** A part of a price book, stored by content (D5.7): JSON text and its SHA-256 in hexadecimal. */
export type Snapshot = { readonly data: string; readonly hash: string };

/** The list prices of the installed catalogue package (D5.2). Newer data may have been fetched (`catalogue-updates.ts`). */
export function installedCatalogue(): Snapshot & { readonly version: string } {
  installed ??= {
    ...snapshotOf(catalogueData.parse({ version: packageVersion(), providers: packagedProviders })),
    version: packageVersion(),
  };
  return installed;
}

let installed: (Snapshot & { readonly version: string }) | undefined;

// The package gives its data only through a promise. It resolves at once, since updates are not enabled here.
const packagedProviders = await waitForUpdate();

export function snapshotOf(value: unknown): Snapshot {
  const data = JSON.stringify(value);
  return { data, hash: createHash('sha256').update(data).digest('hex') };
}

function packageVersion(): string {
  const packageEntry = createRequire(import.meta.url).resolve('@pydantic/genai-prices');
  const manifest = parseJson(readFileSync(new URL('../package.json', pathToFileURL(packageEntry)), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}

/** Why a model has no catalogue entry. */
export type NoEntryReason = 'no_model' | 'unknown_provider' | 'unknown_model';

/** Opens stored catalogue data with its stored corrections. Throws when either is malformed. */
export function openCatalogue(catalogueText: string, correctionsText = '[]'): Catalogue {
  const { version, providers } = catalogueData.parse(parseJson(catalogueText));
  return new Catalogue(version, providers, correctionsData.parse(parseJson(correctionsText)));
}

/** Clients choose the names, so the cache is bounded: it is cleared at this many. */
const maxRememberedNames = 20_000;

export class Catalogue {
  readonly version: string;
  readonly #providers: readonly CatalogueProvider[];
  readonly #correctionSources = new Map<unknown, string>();
  readonly #entries = new Map<string, CatalogueEntry | NoEntryReason>();
  readonly #derivedProviders = new Map<string, string>();

  constructor(version: string, providers: readonly CatalogueProvider[], corrections: readonly Correction[]) {
    this.version = version;
    // The first entry that matches a name is used, so corrections come before the entries they correct.
    this.#providers = providers.map((provider) => ({
      ...provider,
      models: [
        ...corrections.filter((correction) => correction.provider === provider.id).map(({ model }) => model),
        ...provider.models,
      ],
    }));
    for (const { model, source } of corrections) this.#correctionSources.set(model, source);
  }

  /** The catalogue's name of the provider that makes the model, or the empty string (D4.4). */
  deriveProvider(model: string): string {
    return remember(this.#derivedProviders, model, () => {
      const cloud = cloudOfResource(model);
      if (cloud !== '') return cloud;
      const name = bareModelName(model);
      // A prefix names the seller, which may differ from the maker (`openrouter/anthropic/…`).
      const [prefix] = splitPrefix(name);
      const seller = prefix === '' ? undefined : findProvider(this.#providers, prefix);
      return (seller ?? findMaker(this.#providers, name))?.id ?? '';
    });
  }

  /** The entry that prices the model, or why there is none. An empty provider is derived. */
  findEntry(provider: string, model: string): CatalogueEntry | NoEntryReason {
    // A provider's name can contain any character, so the key begins with its length.
    return remember(this.#entries, `${provider.length} ${provider}${model}`, () => this.#findEntry(provider, model));
  }

  #findEntry(provider: string, model: string): CatalogueEntry | NoEntryReason {
    const name = bareModelName(model);
    if (name === '') return 'no_model';
    if (isOfOtherPartition(name)) return 'unknown_model';
    const providerName = (provider === '' ? this.deriveProvider(model) : provider).trim().toLowerCase();
    const seller = findProvider(this.#providers, providerName);
    // LiteLLM forwards calls and names the seller in the model's prefix.
    const isPassedOn = provider === '' || providerName === 'litellm' || providerName === 'litellm_proxy';
    if (seller === undefined && !isPassedOn) return 'unknown_provider';
    // Without the prefix first: rules that match part of a name also match the prefixed one, sometimes for the wrong entry.
    const listed =
      this.#findPrefixed(name, isPassedOn ? undefined : seller) ??
      (seller === undefined ? undefined : findModel(this.#providers, seller, name));
    return listed === undefined
      ? 'unknown_model'
      : readEntry(listed, this.#correctionSources.get(listed.model) ?? null);
  }

  /** Finds models named `provider/model`. The prefix must not contradict the provider, if given. */
  #findPrefixed(name: string, seller: CatalogueProvider | undefined): ListedModel | undefined {
    const [prefix, rest] = splitPrefix(name);
    const named = prefix === '' ? undefined : findProvider(this.#providers, prefix);
    const isContradicted = seller !== undefined && named !== seller;
    return named === undefined || isContradicted ? undefined : findModel(this.#providers, named, rest);
  }
}

function remember<Value>(memory: Map<string, Value>, key: string, resolve: () => Value): Value {
  const known = memory.get(key);
  if (known !== undefined) return known;
  if (memory.size >= maxRememberedNames) memory.clear();
  const value = resolve();
  memory.set(key, value);
  return value;
}
