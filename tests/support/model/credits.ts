// D7: how free credits are used up, day by day, over all calls of a project.
import { quotient, wholeUnits } from '../decimal.ts';
import type { ModelCall } from './calls.ts';
import { type Amount, unit, unitsInPico } from './rows.ts';

export interface ModelGrant {
  id: string;
  provider: string;
  /** Names, which may end in `*`; all models without it. */
  models?: readonly string[] | undefined;
  amount: number | string;
  starts_on: string;
  expires_on?: string | null | undefined;
  priority?: number | undefined;
}

/** A covered fraction of 1, in its 18 digits. */
const all = 10n ** 18n;

/** The calls of one provider and model on one day: they all are covered alike. */
interface Cell {
  day: string;
  provider: string;
  model: string;
  picos: bigint;
  /** Of `all`. */
  covered: bigint;
}

export interface BurnDown {
  /** The net cost of some of the calls (D7.3). */
  netOf(calls: readonly ModelCall[]): Amount;
  /** USD by grant. */
  usedOf(id: string): number;
}

export function burnDown(grants: readonly ModelGrant[], calls: readonly ModelCall[]): BurnDown {
  const cells = new Map<string, Cell>();
  for (const { day, provider, model, cost } of calls) {
    const cell = cells.get(cellKey({ day, provider, model })) ?? { day, provider, model, picos: 0n, covered: 0n };
    cells.set(cellKey(cell), { ...cell, picos: cell.picos + cost });
  }
  const left = new Map(grants.map(({ id, amount }) => [id, wholeUnits(amount, 30)]));
  const days = [...new Set([...cells.values()].map(({ day }) => day))].sort();
  for (const day of days) {
    const valid = grants.filter(({ starts_on, expires_on }) => starts_on <= day && day <= (expires_on ?? '9999-12-31'));
    for (const grant of valid.toSorted(byTurn)) {
      const eligible = [...cells.values()].filter((cell) => cell.day === day && isEligible(grant, cell));
      left.set(grant.id, cover(eligible, left.get(grant.id) ?? 0n));
    }
  }
  return {
    netOf: (some) => some.map((call) => netCost(call, cells.get(cellKey(call))?.covered ?? 0n)).reduce(plus, nothing),
    usedOf: (id) => {
      const amount = grants.find((grant) => grant.id === id)?.amount ?? 0;
      return quotient(wholeUnits(amount, 30) - (left.get(id) ?? 0n), unit);
    },
  };
}

/** Covers what earlier grants left of the cells, as far as the credit goes; answers what remains of the credit. */
function cover(cells: readonly Cell[], credit: bigint): bigint {
  const uncovered = cells.reduce((total, cell) => total + cell.picos * (all - cell.covered), 0n);
  if (uncovered === 0n) return credit;
  const fraction = credit >= uncovered ? all : (credit * all) / uncovered;
  let remaining = credit;
  for (const cell of cells) {
    const share = ((all - cell.covered) * fraction) / all;
    cell.covered += share;
    remaining -= cell.picos * share;
  }
  return remaining;
}

function isEligible({ provider, models }: ModelGrant, cell: Cell): boolean {
  if (provider.toLowerCase() !== cell.provider.toLowerCase()) return false;
  if (models === undefined) return true;
  return models.some((name) => (name.endsWith('*') ? cell.model.startsWith(name.slice(0, -1)) : cell.model === name));
}

// D7.2: lower priority, sooner expiry with none last, sooner start, id.
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

// Where several grants meet in a cell, the 18th digit depends on where one truncates, so a partly covered cost has slack.
function netCost({ cost }: ModelCall, covered: bigint): Amount {
  return { exact: cost * (all - covered), slack: covered === 0n || covered === all ? 0n : cost * 8n };
}

const nothing: Amount = { exact: 0n, slack: 0n };

function plus(a: Amount, b: Amount): Amount {
  return { exact: a.exact + b.exact, slack: a.slack + b.slack };
}

/** The cost of calls before credits. */
export function grossOf(calls: readonly ModelCall[]): Amount {
  return { exact: calls.reduce((total, { cost }) => total + cost, 0n) * unitsInPico, slack: 0n };
}

function cellKey({ day, provider, model }: Pick<Cell, 'day' | 'provider' | 'model'>): string {
  return JSON.stringify([day, provider, model]);
}
