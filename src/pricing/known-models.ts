import { remembered } from '../lib/remembered.ts';
import { type Catalogue, installedCatalogue, openCatalogue } from './catalogue.ts';

let catalogue: Catalogue | undefined;

/** By the list prices of this version: newer ones must not change which reports are joined into one call. */
export const isKnownModel = remembered((name) => {
  catalogue ??= openCatalogue(installedCatalogue().data);
  return catalogue.hasPriceOf(name);
});
