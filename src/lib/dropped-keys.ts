import { remembered } from './remembered.ts';

/** The most names that are kept of what one record lost. */
const maxNames = 50;
/** LangChain's places of counts, in an answer within an attribute, have 121 and more. */
const maxLength = 160;
const maxDigits = 4;

/** Whether a name is as developers write them: words with dots and underscores, a digit here and there. */
export const isPlainName = (name: string): boolean => name.length <= maxLength && isPlainShortName(name);

const isPlainShortName = remembered(
  (name) =>
    /^[A-Za-z_][\w.]*$/.test(name) && (name.match(/\d/g)?.length ?? 0) <= maxDigits && !/\d{3}|[^.]{41}/.test(name),
);

/** The names of parts that were not kept (D14.5). Some are only counted: they may be private, and many. */
export class DroppedKeys {
  readonly #names = new Set<string>();
  #unnamed = 0;

  /** Notes the name of a part. The parts of a list such as `gen_ai.prompt.0.content` share the list's name. */
  add(name: string): void {
    const shared = name.length > maxLength ? name : name.replace(/\.\d+(?:\..*)?$/, '');
    if (this.#names.has(shared)) return;
    if (this.#names.size < maxNames && isPlainName(shared)) this.#names.add(shared);
    else this.#unnamed += 1;
  }

  addAll(other: DroppedKeys): void {
    for (const name of other.#names) this.add(name);
    this.#unnamed += other.#unnamed;
  }

  /** As fields of an event: the names, and how many dropped parts are not among them. */
  toFields(field: string): Readonly<Record<string, unknown>> {
    return {
      ...(this.#names.size > 0 && { [field]: [...this.#names].sort() }),
      ...(this.#unnamed > 0 && { [`${field}_unnamed`]: this.#unnamed }),
    };
  }
}
