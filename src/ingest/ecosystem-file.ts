/** A table of attribute names in the tree. This module is two folders below the root, as the bundle that tests start is. */
export const ecosystemFile = (name: string): URL => new URL(`../../ecosystems/${name}.json`, import.meta.url);
