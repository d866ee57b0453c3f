import { remembered } from '../lib/remembered.ts';
import { type Catalogue, installedCatalogue, openCatalogue } from './catalogue.ts';

let catalogue: Catalogue | undefined;

/**
 * Whether the list prices that came with this version have a model of this name. What is joined into one call depends on
 * it, so it doesn't change with newer prices.
 */
export const isKnownModel = remembered((name) => {
  catalogue ??= openCatalogue(installedCatalogue().data);
  return catalogue.hasPriceOf(name);
});
