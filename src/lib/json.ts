/**
 * The only JSON parser of the service. V8's `JSON.parse` can mistake an escaped key for one that it read earlier at the
 * same place of a similar object: after `{"\\":1}` it reads `{"\"":1}` as `{"\\":1}` (nodejs/node#63785, Node.js 22 to
 * 26). Tags are such keys, so totals would go to the wrong tag.
 */

/** `__proto__` becomes an own property like any other key. @throws SyntaxError as `JSON.parse` does */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasEscapedKey(text) ? readExactly(text) : value;
}

/** The value of JSON text; undefined for any other text. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;

/** Whether any key in valid JSON, or in its bytes as latin1, contains an escape. */
export function hasEscapedKey(json: string): boolean {
  let at = json.indexOf('\\');
  while (at !== -1) {
    while (json.charCodeAt(at) !== quote) at += json.charCodeAt(at) === backslash ? 2 : 1;
    at += 1;
    while (isJsonSpace(json.charCodeAt(at))) at += 1;
    if (json.charCodeAt(at) === colon) return true;
    at = json.indexOf('\\', at);
  }
  return false;
}

/** Whether this is JSON whitespace: a space, a tab, a line feed or a carriage return. */
export const isJsonSpace = (code: number | undefined): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** The value of valid JSON text, read token by token without recursion, so nesting may have any depth. */
function readExactly(text: string): unknown {
  const outermost: unknown[] = [];
  const around: Holder[] = [];
  let holder: Holder = outermost;
  let key: string | undefined;
  const put = (value: unknown) => {
    if (Array.isArray(holder)) holder.push(value);
    else if (key !== undefined) setMember(holder, key, value);
    key = undefined;
  };
  for (let at = 0; at < text.length; ) {
    const start = at;
    at += 1;
    switch (text.charCodeAt(start)) {
      case 0x7b: // {
      case 0x5b: {
        // [
        const inner: Holder = text.charCodeAt(start) === 0x7b ? {} : [];
        put(inner);
        around.push(holder);
        holder = inner;
        break;
      }
      case 0x7d: // }
      case 0x5d: // ]
        holder = around.pop() ?? outermost;
        break;
      case quote: {
        at = skipString(text, start);
        const string = decodeString(text.slice(start, at));
        if (key === undefined && !Array.isArray(holder)) key = string;
        else put(string);
        break;
      }
      case comma:
      case colon:
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        break;
      default:
        at = skipScalar(text, start);
        put(JSON.parse(text.slice(start, at)));
    }
  }
  return outermost[0];
}

type Holder = unknown[] | Record<string, unknown>;

/** Sets a member; a plain assignment to `__proto__` would set the prototype. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** The text of a JSON string literal, unescaped. */
export const decodeString = (string: string): string =>
  string.includes('\\') ? (JSON.parse(string) as string) : string.slice(1, -1);

/** The position after the string that begins at `from` in valid JSON. */
export function skipString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  // A quote after an odd number of backslashes is escaped.
  for (;;) {
    let before = end;
    while (text.charCodeAt(before - 1) === backslash) before -= 1;
    if ((end - before) % 2 === 0) return end + 1;
    end = text.indexOf('"', end + 1);
  }
}

/** The position after the number, true, false or null that begins at `from` in valid JSON. */
export function skipScalar(text: string, from: number): number {
  let at = from;
  while (isOfScalar(text.charCodeAt(at))) at += 1;
  return at;
}

/** Whether this is a letter, a digit, a sign or a point; false for NaN, past the end of the text. */
const isOfScalar = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) ||
  (code >= 0x2b && code <= 0x2e && code !== comma);
