/**
 * The paths of numbers and texts in usage objects. Every reader declares its own paths, each with the page that
 * documents it. Together they make one tree, so a usage object of any shape is walked once.
 */

/** The number of a path: its place in a `UsageObject`. */
export type PathId = number;

/** Paths with the same meaning, in falling precedence. */
export type Paths = readonly PathId[];

export interface PathNode {
  readonly id: PathId;
  /** The known names below it. */
  readonly names: Map<string, PathNode>;
}

/** The names in a usage object. */
export const rootNames = new Map<string, PathNode>();

/** Every path, such as `prompt_tokens_details.cached_tokens`, with the pages that document it. */
export const knownPaths: { readonly text: string; readonly sources: string[]; isWithoutPrice: boolean }[] = [];

/** Declares paths that a page documents. Readers that declare the same path get the same number. */
export const paths = (source: string, ...texts: readonly string[]): Paths => texts.map((text) => declare(text, source));

/** The same, and each path also in camel case, as TypeScript SDKs write it. */
export const pathsInBothCases = (source: string, ...texts: readonly string[]): Paths =>
  texts.flatMap((text) => [declare(text, source), declare(inCamelCase(text), source)]);

/** Declares paths of numbers that change no price, such as latencies. They are never unread. */
export function pathsWithoutPrice(source: string, ...texts: readonly string[]): Paths {
  const list = paths(source, ...texts);
  for (const id of list) {
    const known = knownPaths[id];
    if (known) known.isWithoutPrice = true;
  }
  return list;
}

/** For each path, by its number, whether it is in the list. */
export function markPaths(list: Paths): readonly boolean[] {
  const marks: boolean[] = [];
  for (const id of list) marks[id] = true;
  return marks;
}

function declare(text: string, source: string): PathId {
  let names = rootNames;
  let id = -1;
  const taken: string[] = [];
  for (const name of text.split('.')) {
    taken.push(name);
    const known: PathNode = names.get(name) ?? addNode(names, name, taken.join('.'));
    names = known.names;
    id = known.id;
  }
  const sources = knownPaths[id]?.sources;
  if (sources?.includes(source) === false) sources.push(source);
  return id;
}

function addNode(names: Map<string, PathNode>, name: string, text: string): PathNode {
  const node: PathNode = { id: knownPaths.length, names: new Map() };
  knownPaths.push({ text, sources: [], isWithoutPrice: false });
  names.set(name, node);
  return node;
}

const inCamelCase = (text: string): string => text.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
