import { compareCodePoints } from '../../../lib/code-points.ts';
import type { Day } from '../../../lib/days.ts';
import type { WideMoney } from '../../../lib/money.ts';

/** Why an amount differs from the one at a close (README.md has the definitions). */
export const driftCauses = [
  'late_events',
  'reprice',
  'timezone',
  'erasure',
  'revenue',
  'credits',
  'shared_costs',
] as const;
export type DriftCause = (typeof driftCauses)[number];

export const driftAmounts = ['cost', 'revenue', 'credits', 'shared_cost'] as const;
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

const placeFields = ['day', 'customer', 'cause'] as const;

/** What a row is about: a day, customer and cause, or one of them where it is a subtotal. */
export type DriftPlace = Partial<Pick<DriftPart, (typeof placeFields)[number]>>;

/** What subtotals are by. */
export const driftGroups = ['cause', 'customer'] as const;
export type DriftGroup = (typeof driftGroups)[number];

/** The parts of a place, added up; amounts of 0 are left out. */
export interface DriftRow extends DriftPlace {
  readonly amounts: ReadonlyMap<DriftAmount, WideMoney>;
}

export class DriftSums {
  readonly #fields: readonly (typeof placeFields)[number][];
  readonly #rows = new Map<string, { readonly place: DriftPlace; readonly amounts: Map<DriftAmount, WideMoney> }>();

  /** By day, customer and cause, or by one of them. */
  constructor(groupBy?: DriftGroup) {
    this.#fields = groupBy ? [groupBy] : placeFields;
  }

  add(parts: readonly DriftPart[]): this {
    for (const part of parts) {
      const key = JSON.stringify(this.#fields.map((field) => part[field]));
      const row = this.#rows.get(key) ?? {
        place: Object.fromEntries(this.#fields.map((field) => [field, part[field]])),
        amounts: new Map(),
      };
      this.#rows.set(key, row);
      row.amounts.set(part.of, (row.amounts.get(part.of) ?? 0n) + part.amount);
    }
    return this;
  }

  /** The rows with an amount, in order. */
  rows(): DriftRow[] {
    return [...this.#rows.values()]
      .map(({ place, amounts }) => ({ ...place, amounts: new Map([...amounts].filter(([, amount]) => amount !== 0n)) }))
      .filter(({ amounts }) => amounts.size > 0)
      .sort(compareRows);
  }
}

const rankOf = ({ cause }: DriftPlace): number => (cause === undefined ? -1 : driftCauses.indexOf(cause));

export const compareRows = (a: DriftPlace, b: DriftPlace): number =>
  compareCodePoints(a.day ?? '', b.day ?? '') ||
  compareCodePoints(a.customer ?? '', b.customer ?? '') ||
  rankOf(a) - rankOf(b);
