/** Longer texts are not read: an answer's usage is in a text of its own, or the answer is short. */
const maxLength = 262_144;
const maxDepth = 16;

const token =
  /\s*(?:([bru]{0,2}'(?:[^'\\]|\\[\s\S])*'|[bru]{0,2}"(?:[^"\\]|\\[\s\S])*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([A-Za-z_][\w.]*|<[^<>]*>)|([[\](){},:=]))/y;

const names: Readonly<Record<string, unknown>> = { True: true, False: false, None: null };
const closers: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}' };

/** What `repr` wrote: literals, and `Usage(input=1, output=2)` as a dictionary. Undefined for all else. */
export function parsePython(text: string): unknown {
  if (text.length > maxLength) return undefined;
  const reader = new Reader(text);
  try {
    const value = reader.value(0);
    return reader.isAtEnd() ? value : undefined;
  } catch {
    return undefined;
  }
}

class NoLiteral extends Error {}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.#text.slice(this.#at).trim() === '';
  }

  value(depth: number): unknown {
    if (depth > maxDepth) throw new NoLiteral();
    const [text, number, name, mark] = this.#next();
    if (text !== undefined) return unquote(text);
    if (number !== undefined) return Number(number);
    if (name !== undefined) return this.#peek() === '(' ? this.#object(depth) : (names[name] ?? null);
    const close = mark === undefined ? undefined : closers[mark];
    if (close === undefined) throw new NoLiteral();
    return mark === '{' ? Object.fromEntries(this.#items(close, ':', depth)) : this.#items(close, '', depth);
  }

  /** The members of an object; one that has none by name is its first value. */
  #object(depth: number): unknown {
    this.#next();
    const items = this.#items(')', '=', depth);
    const members = items.filter((item): item is [string, unknown] => Array.isArray(item));
    return members.length > 0 || items.length === 0 ? Object.fromEntries(members) : items[0];
  }

  #items(close: string, between: ':', depth: number): [string, unknown][];
  #items(close: string, between: string, depth: number): unknown[];
  #items(close: string, between: string, depth: number): unknown[] {
    const items: unknown[] = [];
    while (this.#peek() !== close) {
      const start = this.#at;
      const [text, number, name] = this.#next();
      const key = text === undefined ? (number ?? name) : unquote(text);
      if (between !== '' && key !== undefined && this.#peek() === between) {
        this.#next();
        items.push([key, this.value(depth + 1)]);
      } else if (between === ':') throw new NoLiteral();
      else {
        this.#at = start;
        items.push(this.value(depth + 1));
      }
      if (this.#peek() === ',') this.#next();
      else if (this.#peek() !== close) throw new NoLiteral();
    }
    this.#next();
    return items;
  }

  #peek(): string | undefined {
    const at = this.#at;
    const mark = this.#next()[3];
    this.#at = at;
    return mark;
  }

  #next(): (string | undefined)[] {
    token.lastIndex = this.#at;
    const found = token.exec(this.#text);
    if (found === null) throw new NoLiteral();
    this.#at = token.lastIndex;
    return found.slice(1);
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

const unquote = (text: string): string =>
  text.slice(text.search(/['"]/) + 1, -1).replace(/\\([\s\S])/g, (_, escaped: string) => escapes[escaped] ?? escaped);
