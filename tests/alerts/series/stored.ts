import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Fault, Launch, MadeSeries } from './made-series.ts';

/** The seed whose series are stored: the limits were chosen on them. */
export const storedSeed = 1;
/** No limit was chosen on the series of this seed. */
export const heldOutSeed = 2;

export const storedFile = new URL('made-series.csv.gz', import.meta.url);

/** The stored text: a line of CSV for each series. */
export const readStored = (): string => gunzipSync(readFileSync(storedFile)).toString();

const spellFault = ({ first, days, factor, amount }: Fault) => `${first}+${days}x${factor}=${amount.toPrecision(4)}`;
const spellLaunch = ({ first, days, factor }: Launch) => `${first}+${days}x${factor.toPrecision(4)}`;

/** Series as text: number, kind, faults (first day + days x factor = dollars), launches, missing days, and the cost of each day in microdollars. */
export const renderSeries = (all: readonly MadeSeries[]): string =>
  [
    'id,kind,faults,launches,missing,costs',
    ...all.map(({ id, kind, costs, faults, launches, missing }) =>
      [
        id,
        kind,
        faults.map(spellFault).join(' '),
        launches.map(spellLaunch).join(' '),
        missing.join(' '),
        costs.join(' '),
      ].join(','),
    ),
    '',
  ].join('\n');
