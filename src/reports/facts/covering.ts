export interface CreditScope {
  /** Not case-sensitive. */
  readonly provider: string;
  /** Names of models; one that ends in `*` matches every model that starts with it. Null matches every model. */
  readonly models: readonly string[] | null;
}

/** The grants of a provider, by what they say of models. */
class OfProvider<Grant> {
  readonly #every: Grant[] = [];
  readonly #byName = new Map<string, Grant[]>();
  readonly #byBeginning = new Map<string, Grant[]>();
  readonly #lengths = new Set<number>();

  add(grant: Grant, models: readonly string[] | null): void {
    if (models === null) this.#every.push(grant);
    for (const name of models ?? []) {
      const isBeginning = name.endsWith('*');
      const key = isBeginning ? name.slice(0, -1) : name;
      const byKey = isBeginning ? this.#byBeginning : this.#byName;
      const known = byKey.get(key);
      if (known) known.push(grant);
      else byKey.set(key, [grant]);
      if (isBeginning) this.#lengths.add(key.length);
    }
  }

  find(model: string): Set<Grant> {
    const found = new Set([...this.#every, ...(this.#byName.get(model) ?? [])]);
    for (const length of this.#lengths) {
      if (length > model.length) continue;
      for (const grant of this.#byBeginning.get(model.slice(0, length)) ?? []) found.add(grant);
    }
    return found;
  }
}

/**
 * The grants of its provider, in any case, that name no models, this one, or its beginning and `*`, in its case. Looked
 * up, not gone through: there may be a thousand grants of a thousand names.
 */
export function openCovering<Grant extends CreditScope>(
  grants: readonly Grant[],
): (called: { readonly provider: string; readonly model: string }) => ReadonlySet<Grant> {
  const byProvider = new Map<string, OfProvider<Grant>>();
  for (const grant of grants) {
    const provider = grant.provider.toLowerCase();
    const ofProvider = byProvider.get(provider) ?? new OfProvider<Grant>();
    byProvider.set(provider, ofProvider);
    ofProvider.add(grant, grant.models);
  }
  return ({ provider, model }) => byProvider.get(provider.toLowerCase())?.find(model) ?? new Set();
}
