import { parseJson } from './json.ts';

/** What a path of the page selects: texts and lists, and maps for tags. */
export type PageSearch = Readonly<Record<string, unknown>>;

/** The path of a page with its search, as the page itself writes it: all but plain texts is JSON. */
export function pagePath(steps: readonly string[], search: PageSearch = {}): string {
  const query = Object.entries(search).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(isPlain(value) ? value : JSON.stringify(value))}`],
  );
  const path = `/${steps.map((step) => encodeURIComponent(step)).join('/')}`;
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/** Whether this is a text that the page does not read as JSON, as it would `1e3` or `true`. */
function isPlain(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  try {
    parseJson(value);
    return false;
  } catch {
    return true;
  }
}
