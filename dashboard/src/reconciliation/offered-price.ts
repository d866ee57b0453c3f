import type { OfferedPrice } from '../api/types.ts';
import { toDay, toExactDollars, toWords } from '../lib/format.ts';

/** A price of an override: USD for a million tokens, a call or a unit. */
export interface OfferedRate {
  /** The kind of token as the price of a model names it; undefined for a call or a unit. */
  readonly bucket?: string;
  readonly label: string;
  readonly rate: number;
}

const rateNames: Readonly<Record<string, string>> = {
  input: 'Input',
  output: 'Output',
  cache_read: 'Cached input',
  cache_write: 'Written to the cache',
  input_audio: 'Audio in',
  output_audio: 'Audio out',
  reasoning: 'Reasoning',
};
const perMtok = /^(.+)_per_mtok$/;

/** The rates of an override, in its order. */
export function listRates(offered: OfferedPrice): OfferedRate[] {
  const tokens = Object.entries(offered).flatMap(([name, rate]): OfferedRate[] => {
    const bucket = perMtok.exec(name)?.[1];
    return bucket === undefined || typeof rate !== 'number'
      ? []
      : [{ bucket, label: rateNames[bucket] ?? toWords(bucket), rate }];
  });
  const units = Object.entries(offered.units ?? {}).map(([name, rate]) => ({
    label: `Each of ${toWords(name)}`,
    rate,
  }));
  return [
    ...tokens,
    ...(offered.per_request === undefined ? [] : [{ label: 'Per call', rate: offered.per_request }]),
    ...units,
  ];
}

/** Kinds of token that cost as much as another kind where they have no rate of their own. */
const costsAs: Readonly<Record<string, 'input_per_mtok' | 'output_per_mtok'>> = {
  cache_read: 'input_per_mtok',
  cache_write: 'input_per_mtok',
  input_audio: 'input_per_mtok',
  output_audio: 'output_per_mtok',
  reasoning: 'output_per_mtok',
};

/** The override in a sentence, such as `Input $2.25, output $9.00 per million tokens, from 1 Nov 2026`: rates of their own. */
export function toPriceWords(offered: OfferedPrice): string {
  const rates = listRates(offered);
  const ofTokens = rates.filter(({ bucket, rate }) => {
    const other = bucket === undefined ? undefined : costsAs[bucket];
    return bucket !== undefined && (other === undefined || offered[other] !== rate);
  });
  const others = rates.filter(({ bucket }) => bucket === undefined);
  const list = (some: readonly OfferedRate[]) =>
    some
      .map(({ label, rate }, index) => `${index === 0 ? label : label.toLowerCase()} ${toExactDollars(rate)}`)
      .join(', ');
  return [
    `${list(ofTokens)} per million tokens`,
    ...(others.length > 0 ? [list(others).toLowerCase()] : []),
    `from ${toDay(offered.effective_from)}${offered.effective_to === undefined ? '' : ` to ${toDay(offered.effective_to)}`}`,
  ].join(', ');
}
