import { compareCodePoints } from '../../lib/code-points.ts';
import type { Day } from '../../lib/days.ts';
import type { WideMoney } from '../../lib/money.ts';

/** Why an amount differs from the one at a close (README.md has the definitions). */
export const driftCauses = ['late_events', 'reprice', 'timezone', 'erasure', 'revenue', 'credits'] as const;
export type DriftCause = (typeof driftCauses)[number];

export const driftAmounts = ['cost', 'revenue', 'credits'] as const;
export type DriftAmount = (typeof driftAmounts)[number];

/** A part of the difference between now and a close. */
export interface DriftPart {
  readonly day: Day;
  /** `''` for calls without a customer and for erased ones. */
  readonly customer: string;
  readonly cause: DriftCause;
  readonly of: DriftAmount;
  readonly amount: WideMoney;
}

/** The parts of a day, customer and cause, added up; amounts of 0 are left out. */
export interface DriftRow extends Pick<DriftPart, 'day' | 'customer' | 'cause'> {
  readonly amounts: ReadonlyMap<DriftAmount, WideMoney>;
}

/** Adds parts up to rows, by day, customer and cause, in this order. Rows without an amount are left out. */
export function sumParts(parts: readonly DriftPart[]): DriftRow[] {
  const rows = new Map<string, DriftPart[]>();
  for (const part of parts) {
    const key = JSON.stringify([part.day, part.customer, part.cause]);
    const known = rows.get(key);
    if (known) known.push(part);
    else rows.set(key, [part]);
  }
  return [...rows.values()]
    .flatMap((ofRow) => {
      const [first] = ofRow;
      const amounts = new Map(
        driftAmounts
          .map((of) => [of, ofRow.reduce((sum, part) => (part.of === of ? sum + part.amount : sum), 0n)] as const)
          .filter(([, amount]) => amount !== 0n),
      );
      if (!first || amounts.size === 0) return [];
      return [{ day: first.day, customer: first.customer, cause: first.cause, amounts }];
    })
    .sort(compareRows);
}

type PlaceOfRow = Pick<DriftRow, 'day' | 'customer' | 'cause'>;

/** The order of rows. */
export const compareRows = (a: PlaceOfRow, b: PlaceOfRow): number =>
  compareCodePoints(a.day, b.day) ||
  compareCodePoints(a.customer, b.customer) ||
  driftCauses.indexOf(a.cause) - driftCauses.indexOf(b.cause);
