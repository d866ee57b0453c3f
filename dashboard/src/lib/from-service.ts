import { toDay, toShortDay, toShortName } from './format.ts';

/** Outside of names: with the page's minus and days, a year that both ends share once, and no line break before a percent sign. */
const toPageWords = (text: string): string =>
  text
    .replaceAll(/(?<=^|[\s(])-(?=[$\d])/g, '−')
    .replaceAll(/(\d) %/g, '$1\u00a0%')
    .replaceAll(/(?<![\w-])(20\d{2})-\d{2}-\d{2}(?= to \1-)/g, toShortDay)
    .replaceAll(/(?<![\w-])20\d{2}-\d{2}-\d{2}(?![\w-])/g, toDay);

/** A sentence of the service in the page's words; these names, and those on both sides of an arrow, are shown as they are, but short. */
export function fromService(sentence: string, ...names: readonly string[]): string {
  const [name, ...others] = names
    .flatMap((one) => one.split(' → '))
    .filter((one) => one !== '')
    .sort((a, b) => b.length - a.length);
  if (name === undefined) return toPageWords(sentence);
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return sentence
    .split(new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`))
    .map((part) => fromService(part, ...others))
    .join(toShortName(name));
}
