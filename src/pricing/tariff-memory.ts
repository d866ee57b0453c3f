import { noTerms, type Terms } from '../lib/units.ts';
import type { Tariff } from './tariff.ts';

/** The memory is cleared at this many tariffs. It needs a limit, because clients choose names and terms. */
const maxRemembered = 20_000;

/** By the names that calls use. Most calls have no terms, so their tariffs are found with one look-up. */
export class TariffMemory {
  readonly #ofNames = new Map<string, Tariff>();
  readonly #ofTerms = new Map<Tariff, Map<string, Tariff>>();
  #size = 0;

  /** The tariff for the terms. If it is new, `makePlain` makes the tariff without terms, and `make` adds the terms. */
  find(names: string, terms: Terms, makePlain: () => Tariff, make: (plain: Tariff) => Tariff): Tariff {
    let plain = this.#ofNames.get(names);
    if (plain === undefined) {
      this.#makeRoom();
      plain = makePlain();
      this.#ofNames.set(names, plain);
    }
    return terms === noTerms ? plain : this.#findOfTerms(plain, terms, make);
  }

  #findOfTerms(plain: Tariff, terms: Terms, make: (plain: Tariff) => Tariff): Tariff {
    const key = keyOfTerms(terms);
    const known = this.#ofTerms.get(plain)?.get(key);
    if (known !== undefined) return known;
    this.#makeRoom();
    const made = make(plain);
    const others = this.#ofTerms.get(plain);
    if (others === undefined) this.#ofTerms.set(plain, new Map([[key, made]]));
    else others.set(key, made);
    return made;
  }

  #makeRoom(): void {
    this.#size += 1;
    if (this.#size <= maxRemembered) return;
    this.#ofNames.clear();
    this.#ofTerms.clear();
    this.#size = 1;
  }
}

/** A key for maps. A value can contain any character, so its length precedes it. */
export function keyOfTerms(terms: Terms): string {
  let key = '';
  let name: keyof Terms;
  for (name in terms) {
    const value = terms[name] ?? '';
    key += `${name} ${value.length} ${value}`;
  }
  return key;
}
