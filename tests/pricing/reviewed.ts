import { currentCorrections } from '../../src/pricing/reviewed-prices.ts';
import { correctionsData } from '../../src/pricing/supplement-data.ts';

const reviewed = correctionsData.parse(JSON.parse(currentCorrections().data));

/** The reviewed prices in the tree, as price books have them. */
export const corrections = reviewed.filter((item) => 'model' in item);
export const supplements = reviewed.filter((item) => 'kind' in item);
