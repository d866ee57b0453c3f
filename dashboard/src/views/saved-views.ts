// Views that this browser keeps by name, for each project: a page with its days, filters, columns and order.

export interface SavedView {
  readonly name: string;
  /** The path of the page with its parameters. */
  readonly path: string;
}

const keyOf = (project: string): string => `farthing-views ${project}`;

const isView = (value: unknown): value is SavedView =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  'path' in value &&
  typeof value.path === 'string' &&
  // A path of this page, not an address elsewhere.
  /^\/(?!\/)/.test(value.path);

/** The views of a project, by name. What others wrote there is ignored. */
export function readViews(project: string): readonly SavedView[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(keyOf(project)) ?? '[]');
    return Array.isArray(read) ? read.filter(isView) : [];
  } catch {
    return [];
  }
}

/** The views with this one, in place of one of the same name. */
export const withView = (views: readonly SavedView[], view: SavedView): SavedView[] =>
  [...views.filter(({ name }) => name !== view.name), view].toSorted((a, b) => a.name.localeCompare(b.name));

export const keepViews = (project: string, views: readonly SavedView[]): void =>
  localStorage.setItem(keyOf(project), JSON.stringify(views));
