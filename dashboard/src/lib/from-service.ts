import { toDay, toShortDay, toShortName } from './format.ts';

/**
 * A sentence of the service: with the page's minus and days as it writes them, a year that both ends share once, no line break between a number and a percent
 * sign, and these names as they are shown.
 */
export const fromService = (sentence: string, ...names: readonly string[]): string =>
  names
    .reduce((text, name) => (name === '' ? text : text.replaceAll(name, () => toShortName(name))), sentence)
    .replaceAll(/(?<=^|[\s(])-(?=[$\d])/g, '−')
    .replaceAll(/(\d) %/g, '$1\u00a0%')
    .replaceAll(/\b(20\d{2})-\d{2}-\d{2}(?= to \1-)/g, toShortDay)
    .replaceAll(/\b20\d{2}-\d{2}-\d{2}\b/g, toDay);
