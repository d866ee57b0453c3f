import type { Terms, UnitName } from '../../src/lib/units.ts';
import type { GoldenLine } from './golden-case.ts';

/** One line of a unit: its count, US dollars for `per` of it, US dollars. */
export type GoldenUnitLine = readonly [unit: UnitName, count: string, usd: string, per: number, amount: string];

/** What a call with terms or units costs: rates written out, amounts reckoned from them in decimals apart from the code under test. */
export type SupplementCase = {
  name: string;
  /** The page that the price of the term or unit is taken from. */
  source: string;
  /** Further pages that lines name. */
  otherSources?: readonly string[];
  /** Whether the term means the ordinary price, so that no line names its page. */
  isOrdinary?: true;
  provider: string;
  model: string;
  /** By default noon of 4 November 2026. */
  at?: string;
  terms?: Terms;
  /** The call's usage is that of the lines; without any, it has none. */
  lines?: readonly GoldenLine[];
  units?: readonly GoldenUnitLine[];
  /** Units of the call that have no price. */
  unpricedUnits?: readonly UnitName[];
  cost: string;
  partlyPriced?: readonly string[];
};
