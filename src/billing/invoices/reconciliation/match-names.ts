import { plainProvider } from '../../../ingest/telemetry/providers.ts';
import { compareCodePoints } from '../../../lib/code-points.ts';
import { bareModelName } from '../../../pricing/model-names.ts';
import { baseOf, isSnapshot } from '../../../pricing/snapshot-names.ts';

/** A provider and model, as calls or invoices name them. An invoice may name no model. */
export interface Named {
  readonly provider: string;
  readonly model: string | undefined;
}

/** Models of one provider, in calls and in invoices, that are compared with each other. */
export interface LineName {
  readonly provider: string;
  /** Empty for entries without a model. */
  readonly model: string;
  /** The models of its calls, as the calls name them. */
  readonly callModels: readonly string[];
  /** The provider that all of its calls name; undefined if some calls name none. */
  readonly callProvider: string | undefined;
  /** Whether the provider has entries of usage. */
  readonly isInvoiced: boolean;
}

export interface MatchedNames {
  readonly lineOfCall: (call: Named) => LineName;
  readonly lineOfEntry: (entry: Named) => LineName;
}

export const providerKey = (name: string): string => plainProvider(name).toLowerCase();
/** OpenAI's invoices name the fine-tuned `ft:gpt-4o-mini-2024-07-18:acme::abc123` as `ft-gpt-4o-mini-2024-07-18`. */
const modelKey = (name: string): string => bareModelName(name).replace(/^ft[:-]([^:]+):.*$/, 'ft-$1');
const withoutPath = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

/**
 * Decides which models in calls and in invoices are the same:
 *
 * - Names are compared without case and paths. `openai/gpt-4.1` also means a `gpt-4.1` that only the other side names.
 * - A name without a snapshot's date also means the snapshots that only the other side names.
 * - Calls without a provider belong to the only provider whose invoice has their model.
 * - A provider whose invoices name no model is one line as a whole.
 *
 * `otherProviders` are the providers of entries that are not compared with calls.
 */
export function matchNames(
  calls: readonly Required<Named>[],
  entries: readonly Named[],
  otherProviders: readonly string[],
): MatchedNames {
  const namedCalls = distinct(calls);
  const namedEntries = distinct(entries);
  const providersOfModel = new Map<string, Set<string>>();
  for (const { provider, model } of namedEntries) {
    if (model === undefined) continue;
    const of = providersOfModel.get(modelKey(model)) ?? new Set();
    providersOfModel.set(modelKey(model), of.add(providerKey(provider)));
  }
  const providerOfCall = (provider: string, model = ''): string => {
    const [only, ...others] = provider === '' ? (providersOfModel.get(modelKey(model)) ?? []) : [];
    return only !== undefined && others.length === 0 ? only : providerKey(provider);
  };

  const names = new Map<string, ProviderNames>();
  const namesOf = (key: string): ProviderNames => {
    const found = names.get(key) ?? new ProviderNames();
    names.set(key, found);
    return found;
  };
  for (const { provider, model = '' } of namedCalls) namesOf(providerOfCall(provider, model)).addCall(provider, model);
  for (const { provider, model } of namedEntries) namesOf(providerKey(provider)).addEntry(provider, model);
  for (const provider of new Set(otherProviders)) namesOf(providerKey(provider)).addProvider(provider);
  for (const one of names.values()) one.join();
  return {
    lineOfCall: remember(({ provider, model = '' }) => namesOf(providerOfCall(provider, model)).lineOf(model)),
    lineOfEntry: remember(({ provider, model }) => namesOf(providerKey(provider)).lineOf(model)),
  };
}

const keyOf = ({ provider, model }: Named): string => JSON.stringify([provider, model]);

/** Each pair of names once. A model has a record for each of its days. */
const distinct = (named: readonly Named[]): readonly Named[] => [
  ...new Map(named.map((one) => [keyOf(one), one])).values(),
];

function remember(find: (named: Named) => LineName): (named: Named) => LineName {
  const known = new Map<string, LineName>();
  return (named) => {
    const key = keyOf(named);
    const line = known.get(key) ?? find(named);
    known.set(key, line);
    return line;
  };
}

const firstOf = (names: Iterable<string>): string | undefined =>
  [...names].sort((a, b) => a.length - b.length || compareCodePoints(a, b))[0];

class ProviderNames {
  readonly #labels = { calls: new Set<string>(), entries: new Set<string>() };
  /** Names as written, by key. */
  readonly #called = new Map<string, Set<string>>();
  readonly #invoiced = new Map<string, Set<string>>();
  #hasEntries = false;
  #hasUnnamed = false;
  readonly #lines = new Map<string, LineName>();
  #whole: LineName | undefined;

  addCall(provider: string, model: string): void {
    if (provider === '') this.#hasUnnamed = true;
    else this.#labels.calls.add(provider);
    this.#called.set(modelKey(model), (this.#called.get(modelKey(model)) ?? new Set()).add(model));
  }

  addProvider(provider: string): void {
    this.#labels.entries.add(provider);
  }

  addEntry(provider: string, model: string | undefined): void {
    this.#hasEntries = true;
    this.addProvider(provider);
    if (model === undefined) return;
    this.#invoiced.set(modelKey(model), (this.#invoiced.get(modelKey(model)) ?? new Set()).add(model));
  }

  join(): void {
    const provider = firstOf(this.#labels.calls) ?? firstOf(this.#labels.entries) ?? '';
    const callProvider = this.#hasUnnamed ? undefined : firstOf(this.#labels.calls);
    const isWhole = this.#hasEntries && this.#invoiced.size === 0;
    const all = isWhole ? [...this.#called.values()].flatMap((of) => [...of]) : [];
    const isInvoiced = this.#hasEntries;
    this.#whole = { provider, model: '', callModels: all, callProvider, isInvoiced };
    if (isWhole) return;
    for (const keys of this.#group()) {
      const callModels = keys.flatMap((key) => [...(this.#called.get(key) ?? [])]);
      const invoiced = keys.flatMap((key) => [...(this.#invoiced.get(key) ?? [])]);
      const line = {
        provider,
        model: firstOf(callModels) ?? firstOf(invoiced) ?? '',
        callModels,
        callProvider,
        isInvoiced,
      };
      for (const key of keys) this.#lines.set(key, line);
    }
  }

  #group(): Iterable<string[]> {
    const groups = new Map([...this.#called.keys(), ...this.#invoiced.keys()].map((key) => [key, [key]]));
    const unite = (a: string, b: string) => {
      const [one, other] = [groups.get(a), groups.get(b)];
      if (!one || !other || one === other) return;
      one.push(...other);
      for (const key of other) groups.set(key, one);
    };
    // A name that only one side has, and that is no snapshot, also means the snapshots on the other side.
    const uniteWithSnapshots = (own: ReadonlyMap<string, unknown>, others: ReadonlyMap<string, unknown>) => {
      const byName = Map.groupBy(others.keys(), withoutPath);
      const byBase = Map.groupBy(others.keys(), (key) => baseOf(withoutPath(key)));
      for (const key of own.keys()) {
        if (others.has(key)) continue;
        const name = withoutPath(key);
        // Names that are equal have equal bases.
        const same = isSnapshot(name) ? byName.get(name) : byBase.get(baseOf(name));
        for (const other of same ?? []) unite(key, other);
      }
    };
    uniteWithSnapshots(this.#called, this.#invoiced);
    uniteWithSnapshots(this.#invoiced, this.#called);
    return new Set(groups.values());
  }

  lineOf(model: string | undefined): LineName {
    const line = (model === undefined ? undefined : this.#lines.get(modelKey(model))) ?? this.#whole;
    if (!line) throw new Error('The names are not joined yet');
    return line;
  }
}
