import { dimensions, type WatchedDimension } from './dimensions.ts';
import { tryParseJson } from './json.ts';

/** The selection in a link to the dashboard: texts and lists, and maps for tags. */
export type LinkSearch = Readonly<Record<string, unknown>>;

/** The path of a link to a page of the dashboard, as that writes its search itself: all but plain texts is JSON. */
export function linkPath(steps: readonly string[], search: LinkSearch = {}): string {
  const query = Object.entries(search).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(isPlain(value) ? value : JSON.stringify(value))}`],
  );
  const path = `/${steps.map((step) => encodeURIComponent(step)).join('/')}`;
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/** The path of a link to the cost of a name. */
export const linkToName = (dimension: WatchedDimension, name: string, search: LinkSearch): string =>
  dimension === 'customer' && name !== ''
    ? linkPath(['customers', name], search)
    : linkPath([], { ...search, [dimensions[dimension].plural]: [name] });

/** Whether the dashboard reads this text as plain text, and not as JSON as it would read `1e3` or `true`. */
const isPlain = (value: unknown): value is string => typeof value === 'string' && tryParseJson(value) === undefined;
