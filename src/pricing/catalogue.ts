import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseJson } from '../lib/json.ts';
import { noTerms, type Terms } from '../lib/units.ts';
import { type CatalogueProvider, type Correction, catalogueData, type InstalledData } from './catalogue-data.ts';
import { type CatalogueEntry, type NoEntryReason, readEntry } from './catalogue-entry.ts';
import { findMaker, findModel, findProvider, followsBedrock, type ListedModel } from './catalogue-match.ts';
import { unitsOfEntry } from './catalogue-units.ts';
import type { FurtherList } from './further-list.ts';
import { type FurtherPrice, FurtherPrices } from './further-prices.ts';
import {
  bareModelName,
  cloudOfResource,
  hasWeightsTag,
  isOfOtherPartition,
  spellings,
  splitPrefix,
  withoutRoute,
} from './model-names.ts';
import { matchSupplements, type OpenedSupplement, openSupplement } from './opened-supplement.ts';
import { priceFile } from './price-file.ts';
import type { PriceSource } from './rates.ts';
import { isGateway, sellerOf } from './sellers.ts';
import { correctionsData, type Supplement } from './supplement-data.ts';
import { Tariff } from './tariff.ts';
import { TariffMemory } from './tariff-memory.ts';
import { foldTerms } from './terms.ts';

/** A part of a price book, stored by content (D5.7): JSON text and its SHA-256 in hexadecimal. */
export type Snapshot = { readonly data: string; readonly hash: string };

/** The list prices that came with this version of Farthing (D5.2). Newer data may have been fetched (`catalogue-updates.ts`). */
export function installedCatalogue(): Snapshot & { readonly version: string; readonly date: string } {
  installed ??= readInstalled();
  return installed;
}

let installed: ReturnType<typeof readInstalled> | undefined;

/** A test checks the form of this file, so that no start does. */
function readInstalled() {
  const { date, ...data } = parseJson(readFileSync(priceFile('genai-prices'), 'utf8')) as InstalledData;
  return { ...snapshotOf(data), version: data.version, date };
}

export function snapshotOf(value: unknown): Snapshot {
  const data = JSON.stringify(value);
  return { data, hash: createHash('sha256').update(data).digest('hex') };
}

/**
 * Opens stored catalogue data with its stored corrections and supplements, and with further lists, whose form was
 * checked when they were stored. Throws when one of the others is malformed.
 */
export function openCatalogue(catalogueText: string, correctionsText = '[]', furtherText = '[]'): Catalogue {
  const json = parseJson(catalogueText);
  const isInstalled = catalogueText === installedCatalogue().data;
  const { version, providers } = isInstalled ? (json as InstalledData) : catalogueData.parse(json);
  const reviewed = correctionsData.parse(parseJson(correctionsText));
  return new Catalogue(version, providers, reviewed, parseJson(furtherText) as FurtherList[]);
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
  /** Price what the catalogue and its corrections don't know (D27.1). */
  readonly #further: FurtherPrices;

  constructor(
    version: string,
    providers: readonly CatalogueProvider[],
    reviewed: readonly (Correction | Supplement)[],
    further: readonly FurtherList[] = [],
  ) {
    this.version = version;
    this.#further = new FurtherPrices(further);
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
      const name = withoutGateway(bareModelName(model));
      if (hasWeightsTag(name)) return '';
      // A prefix names the seller, which may differ from the maker (`openrouter/anthropic/…`).
      const [prefix] = splitPrefix(name);
      const seller = prefix === '' ? undefined : findProvider(this.#providers, prefix);
      if (seller !== undefined) return seller.id;
      const listed = sellerOf(prefix);
      if (prefix !== '' && this.#further.knows(listed) && !isGateway(listed)) return listed;
      return findMaker(this.#providers, name)?.id ?? (this.#further.findMaker(name) || '');
    });
  }

  /** The list prices of calls of a model with these terms. An empty provider is derived. */
  findTariff(provider: string, model: string, terms: Terms): Tariff {
    return this.#tariffs.find(
      // A provider's name can contain any character, so the key begins with its length.
      `${provider.length} ${provider}${model}`,
      terms,
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

  get furtherLists(): FurtherPrices['lists'] {
    return this.#further.lists;
  }

  /** What further lists say of a model that the catalogue lacks; null when it has the model, or no list has. */
  findFurther(provider: string, model: string): FurtherPrice | null {
    return this.#findEntry(provider, model).further;
  }

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
    const { entry, seller, names, units = [], further } = this.#findEntry(provider, model);
    const reviewed = matchSupplements(this.#supplements.get(seller) ?? [], names);
    const region = further?.entry ? regionOf(further.entry) : null;
    const ofTerms = region === null ? reviewed : [region, ...reviewed.filter(({ when }) => !when.has('geo'))];
    const supplements = [...ofTerms, ...units, ...(further?.units ? [further.units] : [])];
    const priced = further?.entry ?? entry;
    return new Tariff(priced, supplements, { terms: termsOfName(model, priced), version: this.version });
  }

  #findEntry(provider: string, model: string): FoundEntry {
    const name = withoutGateway(bareModelName(model));
    if (name === '') return notFound('no_model');
    // On no list but under their own names: the same models have other prices there.
    if (isOfOtherPartition(name))
      return { ...notFound('unknown_model'), further: this.#further.find('aws', [withoutRoute(name)]) };
    const providerName = (provider === '' ? this.deriveProvider(model) : provider).trim().toLowerCase();
    const listedSeller = sellerOf(providerName);
    const seller = findProvider(this.#providers, followsBedrock(name) ? 'aws' : providerName);
    if (hasWeightsTag(name)) {
      const further = this.#further.find(listedSeller, [name]);
      return { entry: 'unknown_model', seller: listedSeller, names: [name], further };
    }
    // A gateway forwards calls and names the seller in the model's prefix.
    const isPassedOn = provider === '' || isGateway(listedSeller);
    if (seller === undefined && !isPassedOn) {
      // The catalogue lists no seller that sells only units, such as speech. Supplements may have one.
      const entry = this.#further.knows(listedSeller) ? 'unknown_model' : 'unknown_provider';
      const further = this.#findFurther(name, [listedSeller], false);
      return { entry, seller: providerName, names: [name], further };
    }
    // Try the name without its prefix first: a rule for a part of a name could match the prefix and find a wrong entry.
    const prefixed = this.#splitSeller(name, isPassedOn ? undefined : seller);
    const listed =
      (prefixed && findModel(this.#providers, ...prefixed)) ??
      (seller === undefined ? undefined : findModel(this.#providers, seller, name));
    const [sold, rest] = prefixed ?? [seller, name];
    const found = { seller: sold?.id ?? '', names: sold === undefined ? [] : [...spellings(sold.id, rest)] };
    const sellers = [
      ...(sold === undefined ? [] : [sold.id]),
      ...(seller === undefined ? [] : [seller.id]),
      listedSeller,
    ];
    const isUnpriced =
      listed === undefined ||
      hasNoRates(listed.model.prices) ||
      (isFree(listed.model.prices) && isOnVertex(providerName, model));
    const further = isUnpriced ? this.#findFurther(name, sellers, isPassedOn) : null;
    if (listed !== undefined) {
      const units = unitsOfEntry(listed.model, this.#sourceOf(listed));
      const entry = readEntry(listed, this.#correctionSources.get(listed.model) ?? null);
      return { ...found, entry, units, further };
    }
    return { ...found, entry: 'unknown_model', further };
  }

  #sourceOf({ provider, model }: ListedModel): PriceSource {
    const correctionSource = this.#correctionSources.get(model) ?? null;
    return { kind: 'catalogue', version: this.version, provider: provider.id, entry: model.id, correctionSource };
  }

  /** The price on the first further list that has the model with one of the sellers. */
  #findFurther(name: string, sellers: readonly string[], mayNameSeller: boolean): FurtherPrice | null {
    const [prefix, rest] = splitPrefix(name);
    const named = sellerOf(prefix);
    const isOwn = sellers.includes(named);
    if (prefix !== '' && (isOwn || mayNameSeller)) {
      const found = this.#further.find(named, namesOf(named, rest));
      if (found !== null) return found;
    }
    for (const seller of new Set(sellers)) {
      const found = this.#further.find(seller, namesOf(seller, name));
      if (found !== null) return found;
    }
    return null;
  }

  /** Splits names of the form `provider/model`. The prefix must not contradict the provider, if given. */
  #splitSeller(name: string, seller: CatalogueProvider | undefined): [CatalogueProvider, string] | undefined {
    const [prefix, rest] = splitPrefix(name);
    const named = prefix === '' ? undefined : findProvider(this.#providers, prefix);
    const isContradicted = seller !== undefined && named !== seller;
    return named === undefined || isContradicted ? undefined : [named, bareModelName(rest)];
  }
}

/** Whether an entry says that no price of tokens was found. An entry without any price is a free model. */
const hasNoRates = (listed: ListedModel['model']['prices']): boolean =>
  (Array.isArray(listed) ? listed : [{ prices: listed }]).every(({ prices }) => {
    const names = Object.keys(prices);
    return names.length > 0 && names.every((name) => name === 'requests_kcount');
  });

/** Sellers name Claude's fast mode, a term, as if it were a model. Some of them are on lists with its prices. */
const termsOfName = (model: string, entry: CatalogueEntry | NoEntryReason): Terms =>
  /(?:^|[/.])claude-.*\d-fast$/i.test(model) && typeof entry !== 'string' && !entry.id.endsWith('-fast')
    ? { speed: 'fast' }
    : noTerms;

/** The region in the name of a list's entry, whose prices are those of the region. */
function regionOf({ id, provider, list }: CatalogueEntry): OpenedSupplement | null {
  const geo = /^(us|eu|global|[a-z]{2}(?:-[a-z]+)+-\d)\//.exec(id.toLowerCase())?.[1];
  if (geo === undefined || list === null) return null;
  return {
    ...{ match: { equals: id.toLowerCase() }, fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY },
    ...{ when: new Map([['geo', new Set([geo])]]), prices: null, factor: null, units: new Map() },
    source: { kind: 'further_list', list: list.name, version: list.version, provider, entry: id },
  };
}

const isFree = (listed: ListedModel['model']['prices']): boolean =>
  !Array.isArray(listed) && Object.keys(listed).length === 0;

/** Vertex sells the open models that are free in the Gemini API. */
const isOnVertex = (provider: string, model: string): boolean =>
  provider.includes('vertex') || /^vertex_ai\/|publishers\//i.test(model);

type FoundEntry = {
  readonly entry: CatalogueEntry | NoEntryReason;
  /** The catalogue's name of the provider that sells the model; the empty string if there is none. */
  readonly seller: string;
  /** The spellings of the model's name at the seller. */
  readonly names: readonly string[];
  /** The catalogue's prices of units; none by default. */
  readonly units?: readonly OpenedSupplement[];
  /** What a further list says; null when the catalogue has rates of the model. */
  readonly further: FurtherPrice | null;
};

const notFound = (entry: NoEntryReason): FoundEntry => ({ entry, seller: '', names: [], further: null });

/** A name without a gateway's before that of the seller, as in `vercel_ai_gateway/anthropic/claude-opus-4.5`. */
function withoutGateway(name: string): string {
  const [prefix, rest] = splitPrefix(name);
  return rest.includes('/') && isGateway(sellerOf(prefix)) ? rest : name;
}

const namesOf = (seller: string, name: string): readonly string[] => [name, ...spellings(seller, name)];

function remember<Value>(memory: Map<string, Value>, key: string, resolve: () => Value): Value {
  const known = memory.get(key);
  if (known !== undefined) return known;
  if (memory.size >= maxRememberedNames) memory.clear();
  const value = resolve();
  memory.set(key, value);
  return value;
}
