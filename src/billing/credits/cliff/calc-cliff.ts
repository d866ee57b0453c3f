import { compareCodePoints } from '../../../lib/code-points.ts';
import type { Day } from '../../../lib/days.ts';
import { type WideMoney, wideToJsonNumber } from '../../../lib/money.ts';
import { calcMargin } from '../../../reports/margin/calc-margin.ts';
import type { BothMargins, CreditCliff } from './wire.ts';

/** The part of a customer's cost that the grants of one provider cover. */
export interface Cover {
  /** The day on which the last of these grants runs out or expires; null when that is not known, or has been. */
  readonly endsOn: Day | null;
  readonly amount: WideMoney;
}

/** A customer's revenue over the last days, and its cost net of credits and gross. */
export interface CustomerCosts {
  readonly customer: string;
  readonly revenue: WideMoney;
  readonly net: WideMoney;
  readonly gross: WideMoney;
  /** What credits cover, in the order in which they end. Adds up to `gross` less `net`. */
  readonly covers: readonly Cover[];
}

/** The effect of the credits' end on margins, with the API's field names. */
type Cliff = Pick<CreditCliff, 'customers' | 'others'> & BothMargins;

type Amounts = Pick<CustomerCosts, 'revenue' | 'net' | 'gross'>;

const nothing: Amounts = { revenue: 0n, net: 0n, gross: 0n };

const add = (a: Amounts, b: Amounts): Amounts => ({
  revenue: a.revenue + b.revenue,
  net: a.net + b.net,
  gross: a.gross + b.gross,
});

const toMargin = (revenue: WideMoney, cost: WideMoney): BothMargins['now'] => {
  const { margin, marginPct } = calcMargin(revenue, cost, null);
  return {
    revenue: wideToJsonNumber(revenue),
    cost: wideToJsonNumber(cost),
    margin: wideToJsonNumber(margin),
    margin_pct: marginPct,
  };
};

const toMargins = ({ revenue, net, gross }: Amounts): BothMargins => ({
  now: toMargin(revenue, net),
  after: toMargin(revenue, gross),
});

/** Whether the customer's revenue covers its cost with credits but not without them. */
const turns = ({ revenue, net, gross }: Amounts): boolean => revenue >= net && revenue < gross;

/** The end of the credits without which the customer's revenue no longer covers its cost. */
function findTurn({ revenue, net, covers }: CustomerCosts): Day | null {
  let cost = net;
  for (const { endsOn, amount } of covers) {
    cost += amount;
    if (revenue < cost) return endsOn;
  }
  return null;
}

const lossOf = ({ revenue, gross }: Amounts): WideMoney => gross - revenue;

/** The order of customers: first those whose margin turns negative, then by margin without credits, smallest first. */
const inOrder = (a: CustomerCosts, b: CustomerCosts): number => {
  if (turns(a) !== turns(b)) return turns(a) ? -1 : 1;
  const [ofA, ofB] = [lossOf(a), lossOf(b)];
  return ofA === ofB ? compareCodePoints(a.customer, b.customer) : ofA > ofB ? -1 : 1;
};

/** The margins now and after the credits' end, of at most `limit` customers, and the sum of all others. */
export function calcCliff(customers: readonly CustomerCosts[], limit: number): Cliff {
  const sorted = customers.toSorted(inOrder);
  const rest = sorted.slice(limit);
  return {
    ...toMargins(customers.reduce(add, nothing)),
    customers: sorted.slice(0, limit).map((one) => ({
      customer: one.customer,
      turns: turns(one),
      turns_on: turns(one) ? findTurn(one) : null,
      ...toMargins(one),
    })),
    others: { count: rest.length, turns: rest.filter(turns).length, ...toMargins(rest.reduce(add, nothing)) },
  };
}
