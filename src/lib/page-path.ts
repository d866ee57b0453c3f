import { tryParseJson } from './json.ts';

/** The selection in a path of the page: texts and lists, and maps for tags. */
export type PageSearch = Readonly<Record<string, unknown>>;

/** The path of a page with its search, as the page itself writes it: all but plain texts is JSON. */
export function pagePath(steps: readonly string[], search: PageSearch = {}): string {
  const query = Object.entries(search).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(isPlain(value) ? value : JSON.stringify(value))}`],
  );
  const path = `/${steps.map((step) => encodeURIComponent(step)).join('/')}`;
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/** Whether the page reads this text as plain text, and not as JSON as it would read `1e3` or `true`. */
const isPlain = (value: unknown): value is string => typeof value === 'string' && tryParseJson(value) === undefined;
