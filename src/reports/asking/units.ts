import { z } from 'zod';
import { parseMoney, toJsonNumber } from '../../lib/money.ts';
import { unitNames } from '../../lib/units.ts';

/** The billable units of calls other than tokens, with the API's names. */
export const unitsSchema = z
  .partialRecord(z.enum(unitNames), z.number())
  .describe('What the provider charges for beside tokens, by unit; only units that were used.');

/** Counts by unit as the store returns them: decimal text. */
export type UnitCounts = Readonly<Record<string, string>>;

export const toUnits = (counts: UnitCounts = {}): z.input<typeof unitsSchema> =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, toJsonNumber(parseMoney(count) ?? 0n)]));
