// D7: how credits are used up, day by day, over all calls of a project.
import { wholeUnits } from '../decimal.ts';
import type { ModelCall } from './calls.ts';
import { type Amount, unitsInPico } from './rows.ts';

export interface ModelGrant {
  id: string;
  provider: string;
  /** Names, each with an optional `*` at the end; absent for all models. */
  models?: readonly string[] | undefined;
  amount: number | string;
  starts_on: string;
  expires_on?: string | null | undefined;
  priority?: number | undefined;
}

/** The covered fraction 1, in units of 10⁻¹⁸. */
const all = 10n ** 18n;

/** The calls of one provider and model on one day. All are covered by the same fraction. */
interface Cell {
  day: string;
  provider: string;
  model: string;
  picos: bigint;
  /** In the unit of `all`. */
  covered: bigint;
  /** Whether any grant was valid for the cell. */
  eligible: boolean;
}

export interface BurnDown {
  /** The net cost of some of the calls (D7.3). */
  netOf(calls: readonly ModelCall[]): Amount;
  usedOf(id: string): Amount;
}

export function burnDown(grants: readonly ModelGrant[], calls: readonly ModelCall[]): BurnDown {
  const cells = new Map<string, Cell>();
  for (const { day, provider, model, cost } of calls) {
    const cell = { day, provider, model, covered: 0n, eligible: false };
    cells.set(cellKey(cell), { ...cell, picos: (cells.get(cellKey(cell))?.picos ?? 0n) + cost });
  }
  const left = new Map(grants.map(({ id, amount }) => [id, wholeUnits(amount, 30)]));
  let open = 0n;
  const days = [...new Set([...cells.values()].map(({ day }) => day))].sort();
  for (const day of days) {
    const valid = grants.filter(({ starts_on, expires_on }) => starts_on <= day && day <= (expires_on ?? '9999-12-31'));
    for (const grant of valid.toSorted(byTurn)) {
      const eligible = [...cells.values()].filter((cell) => cell.day === day && isEligible(grant, cell));
      const covered = cover(eligible, left.get(grant.id) ?? 0n);
      left.set(grant.id, covered.remaining);
      open += covered.open;
    }
  }
  // An amount left by truncation is spent on a later day, where it can shift the next grant's use, and so on.
  const slack = 8n * open;
  return {
    netOf: (some) =>
      some.reduce<Amount>(
        (net, call) => {
          const { covered, eligible } = cells.get(cellKey(call)) ?? { covered: 0n, eligible: false };
          return { exact: net.exact + call.cost * (all - covered), slack: eligible ? slack : net.slack };
        },
        { exact: 0n, slack: 0n },
      ),
    usedOf: (id) => {
      const amount = grants.find((grant) => grant.id === id)?.amount ?? 0;
      return { exact: wholeUnits(amount, 30) - (left.get(id) ?? 0n), slack };
    },
  };
}

/**
 * Covers with the credit what earlier grants left of the cells. Returns the remaining credit and its open part: where grants
 * partly cover the same cell, its 18th digit (D7.3) depends on which product is truncated.
 */
function cover(cells: readonly Cell[], credit: bigint): { remaining: bigint; open: bigint } {
  const uncovered = cells.reduce((total, cell) => total + cell.picos * (all - cell.covered), 0n);
  const fraction = credit >= uncovered ? all : (credit * all) / uncovered;
  let [remaining, open] = [credit, 0n];
  for (const cell of cells) {
    const share = ((all - cell.covered) * fraction) / all;
    if (cell.covered > 0n && cell.covered < all && fraction < all) open += 2n * cell.picos;
    cell.eligible = true;
    cell.covered += share;
    remaining -= cell.picos * share;
  }
  return { remaining, open };
}

function isEligible({ provider, models }: ModelGrant, cell: Cell): boolean {
  if (provider.toLowerCase() !== cell.provider.toLowerCase()) return false;
  if (models === undefined) return true;
  return models.some((name) => (name.endsWith('*') ? cell.model.startsWith(name.slice(0, -1)) : cell.model === name));
}

// D7.2: lower priority, sooner expiry (none is last), sooner start, id.
function byTurn(a: ModelGrant, b: ModelGrant): number {
  const turn = ({ priority = 0, expires_on, starts_on, id }: ModelGrant): [number, string, string, string] => [
    priority,
    expires_on ?? '9999-12-31',
    starts_on,
    id,
  ];
  const [left, right] = [turn(a), turn(b)];
  for (const [index, value] of left.entries()) {
    const other = right[index] ?? value;
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}

/** The cost of calls before credits. */
export function grossOf(calls: readonly ModelCall[]): Amount {
  return { exact: calls.reduce((total, { cost }) => total + cost, 0n) * unitsInPico, slack: 0n };
}

function cellKey({ day, provider, model }: Pick<Cell, 'day' | 'provider' | 'model'>): string {
  return JSON.stringify([day, provider, model]);
}
