import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { waitForUpdate } from '@pydantic/genai-prices';
import { z } from 'zod';
import { parseJson } from '../lib/json.ts';
import { noTerms, type Terms } from '../lib/units.ts';
import { type CatalogueProvider, type Correction, catalogueData } from './catalogue-data.ts';
import { type CatalogueEntry, type NoEntryReason, readEntry } from './catalogue-entry.ts';
import { findMaker, findModel, findProvider } from './catalogue-match.ts';
import { bareModelName, cloudOfResource, isOfOtherPartition, spellings, splitPrefix } from './model-names.ts';
import { matchSupplements, type OpenedSupplement, openSupplement } from './opened-supplement.ts';
import { correctionsData, type Supplement } from './supplement-data.ts';
import { Tariff } from './tariff.ts';
import { TariffMemory } from './tariff-memory.ts';
import { foldTerms } from './terms.ts';

/** A part of a price book, stored by content (D5.7): JSON text and its SHA-256 in hexadecimal. */
export type Snapshot = { readonly data: string; readonly hash: string };

/**
 * The list prices of the installed catalogue package (D5.2). Newer data may have been fetched (`catalogue-updates.ts`).
 */
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

/** Opens stored catalogue data with its stored corrections and supplements. Throws when either is malformed. */
export function openCatalogue(catalogueText: string, correctionsText = '[]'): Catalogue {
  const { version, providers } = catalogueData.parse(parseJson(catalogueText));
  return new Catalogue(version, providers, correctionsData.parse(parseJson(correctionsText)));
}

/** The cache is cleared at this size. It needs a limit, because clients choose the names. */
const maxRememberedNames = 20_000;

export class Catalogue {
  readonly version: string;
  readonly #providers: readonly CatalogueProvider[];
  /** By the catalogue's name of the provider. */
  readonly #supplements = new Map<string, OpenedSupplement[]>();
  readonly #correctionSources = new Map<unknown, string>();
  readonly #tariffs = new TariffMemory();
  readonly #derivedProviders = new Map<string, string>();

  constructor(
    version: string,
    providers: readonly CatalogueProvider[],
    reviewed: readonly (Correction | Supplement)[],
  ) {
    this.version = version;
    const corrections = reviewed.filter((item) => 'model' in item);
    for (const supplement of reviewed.filter((item) => 'kind' in item)) this.#addSupplement(supplement);
    // The first entry that matches a name counts, so corrections come before the entries that they correct.
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

  /**
   * Whether prices of units and terms are known. Books of older versions lack them and ignore the terms of calls, so
   * that costs and explanations of these calls do not change.
   */
  get hasSupplements(): boolean {
    return this.#supplements.size > 0;
  }

  /** The list prices of calls of a model with these terms. An empty provider is derived. */
  findTariff(provider: string, model: string, terms: Terms): Tariff {
    return this.#tariffs.find(
      // A provider's name can contain any character, so the key begins with its length.
      `${provider.length} ${provider}${model}`,
      this.hasSupplements ? terms : noTerms,
      () => this.#findTariff(provider, model),
      (plain) => plain.withTerms(foldTerms(terms)),
    );
  }

  /** Every entry by the catalogue's names, with its unparsed prices. Corrections come first. */
  *listEntries(): Generator<{ readonly provider: string; readonly model: string; readonly prices: unknown }> {
    for (const { id: provider, models } of this.#providers) {
      for (const { id: model, prices } of models) yield { provider, model, prices };
    }
  }

  /** Whether some provider sells the model. */
  hasPriceOf(model: string): boolean {
    const providers = ['', ...this.#providers.map(({ id }) => id)];
    return providers.some((provider) => this.#findTariff(provider, model).isSold());
  }

  #addSupplement(supplement: Supplement): void {
    const opened = openSupplement(supplement);
    for (const provider of supplement.providers) {
      const others = this.#supplements.get(provider);
      if (others === undefined) this.#supplements.set(provider, [opened]);
      else others.push(opened);
    }
  }

  #findTariff(provider: string, model: string): Tariff {
    const { entry, seller, names } = this.#findEntry(provider, model);
    const supplements = matchSupplements(this.#supplements.get(seller) ?? [], names);
    return new Tariff(entry, supplements, { terms: noTerms, version: this.version });
  }

  #findEntry(provider: string, model: string): FoundEntry {
    const name = bareModelName(model);
    if (name === '') return notFound('no_model');
    if (isOfOtherPartition(name)) return notFound('unknown_model');
    const providerName = (provider === '' ? this.deriveProvider(model) : provider).trim().toLowerCase();
    const seller = findProvider(this.#providers, providerName);
    // LiteLLM forwards calls and names the seller in the model's prefix.
    const isPassedOn = provider === '' || providerName === 'litellm' || providerName === 'litellm_proxy';
    if (seller === undefined && !isPassedOn) {
      // The catalogue lists no seller that sells only units, such as speech. Supplements may have one.
      return { entry: 'unknown_provider', seller: providerName, names: [name] };
    }
    // Try the name without its prefix first: a rule for a part of a name could match the prefix and find a wrong entry.
    const prefixed = this.#splitSeller(name, isPassedOn ? undefined : seller);
    const listed =
      (prefixed && findModel(this.#providers, ...prefixed)) ??
      (seller === undefined ? undefined : findModel(this.#providers, seller, name));
    const [sold, rest] = prefixed ?? [seller, name];
    return {
      entry:
        listed === undefined ? 'unknown_model' : readEntry(listed, this.#correctionSources.get(listed.model) ?? null),
      seller: sold?.id ?? '',
      names: sold === undefined ? [] : [...spellings(sold.id, rest)],
    };
  }

  /** Splits names of the form `provider/model`. The prefix must not contradict the provider, if given. */
  #splitSeller(name: string, seller: CatalogueProvider | undefined): [CatalogueProvider, string] | undefined {
    const [prefix, rest] = splitPrefix(name);
    const named = prefix === '' ? undefined : findProvider(this.#providers, prefix);
    const isContradicted = seller !== undefined && named !== seller;
    return named === undefined || isContradicted ? undefined : [named, rest];
  }
}

type FoundEntry = {
  readonly entry: CatalogueEntry | NoEntryReason;
  /** The catalogue's name of the provider that sells the model; the empty string if there is none. */
  readonly seller: string;
  /** The spellings of the model's name at the seller. */
  readonly names: readonly string[];
};

const notFound = (entry: NoEntryReason): FoundEntry => ({ entry, seller: '', names: [] });

function remember<Value>(memory: Map<string, Value>, key: string, resolve: () => Value): Value {
  const known = memory.get(key);
  if (known !== undefined) return known;
  if (memory.size >= maxRememberedNames) memory.clear();
  const value = resolve();
  memory.set(key, value);
  return value;
}
