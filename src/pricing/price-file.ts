/** A price list in the tree. This module is two folders below the root, as the bundle that tests start is. */
export const priceFile = (list: string): URL => new URL(`../../price-lists/${list}.json`, import.meta.url);

/** The reviewed prices, a file a provider. */
export const reviewedFolder = new URL('../../price-lists/reviewed/', import.meta.url);
