import { noTerms, type Terms } from '../lib/units.ts';
import type { Tariff } from './tariff.ts';

/** Clients choose names and terms, so the memory is bounded: it is cleared at this many tariffs. */
const maxRemembered = 20_000;

/** The tariffs of the models that calls named. Those of calls without terms, which are most, are found first and fast. */
export class TariffMemory {
  readonly #ofNames = new Map<string, Tariff>();
  readonly #ofTerms = new Map<Tariff, Map<string, Tariff>>();
  #size = 0;

  /** The tariff of the terms, made by `make` from that without terms, which `makePlain` makes. */
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

/** A key for maps. A value can contain any character, so its length stands before it. */
export function keyOfTerms(terms: Terms): string {
  let key = '';
  let name: keyof Terms;
  for (name in terms) {
    const value = terms[name] ?? '';
    key += `${name} ${value.length} ${value}`;
  }
  return key;
}
