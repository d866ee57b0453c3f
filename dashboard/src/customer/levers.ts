// What would change a customer's margin: another model, another price, the end of the free credits.

import type { CreditCliff } from '../api/types.ts';
import { toDay, toDollars, toPercent, toProseDollars, toShareWords, toShortName, toTitle } from '../lib/format.ts';
import { toMonthly } from '../waste/causes.ts';

export interface Lever {
  readonly id: 'price' | 'model' | 'credits';
  readonly title: string;
  readonly text: string;
  /** The model that is most of the cost. */
  readonly model?: string;
}

export interface CustomerFacts {
  readonly name: string;
  /** USD, of the days shown. */
  readonly revenue: number;
  readonly cost: number;
  /** How many of the days shown have data so far; the amounts are of these. */
  readonly days: number;
  /** The margin, in percent, below which a customer is at risk; null when the project has none. */
  readonly wantedPct: number | null;
  readonly models: readonly { readonly name: string; readonly cost: number }[];
  /** Undefined where it is not known. */
  readonly cliff: CreditCliff | undefined;
}

export function listLevers(facts: CustomerFacts): Lever[] {
  return [toPriceLever(facts), toModelLever(facts), toCreditsLever(facts)].filter((lever) => lever !== undefined);
}

/** The monthly revenue that the wanted margin needs, or the cost that it allows. */
function toPriceLever({ revenue, cost, days, wantedPct }: CustomerFacts): Lever | undefined {
  if (cost <= 0) return undefined;
  const wanted = Math.min(wantedPct ?? 0, 99);
  const [pays, costs] = [toMonthly(revenue, Math.ceil(days)), toMonthly(cost, days)];
  const needed = costs / (1 - wanted / 100);
  const aim = wanted > 0 ? `a margin of ${toPercent(wanted)}` : 'no loss';
  const dollars = toProseDollars(pays, costs);
  const more =
    pays < needed
      ? `${wanted > 0 ? toTitle(aim) : 'Breaking even'} needs ${dollars(needed)} a month.`
      : `It may cost ${dollars(pays * (1 - wanted / 100) - costs)} more a month with ${aim}.`;
  const text = `It pays ${dollars(pays)} and costs ${dollars(costs)} a month. ${more}`;
  return { id: 'price', title: 'What it pays', text };
}

function toModelLever({ models }: CustomerFacts): Lever | undefined {
  const total = models.reduce((sum, { cost }) => sum + cost, 0);
  const [first] = models.toSorted((a, b) => b.cost - a.cost);
  if (!first || first.cost <= 0) return undefined;
  return {
    id: 'model',
    title: 'The model',
    text: `${toShortName(first.name)} is ${toShareWords(first.cost / total)} of the cost: ${toDollars(first.cost)} on these days.`,
    model: first.name,
  };
}

function toCreditsLever({ name, cliff }: CustomerFacts): Lever | undefined {
  const found = cliff?.customers.find(({ customer }) => customer === name);
  if (!cliff || !found || found.after.cost <= found.now.cost) return undefined;
  const paid = toDollars(found.after.cost - found.now.cost);
  const day = found.turns_on ?? cliff.ends_on;
  const end = day === null ? 'When they end' : `From ${toDay(day)} on`;
  const then = found.turns
    ? 'it costs more than it pays'
    : `its margin is ${toPercent(found.after.margin_pct)} instead of ${toPercent(found.now.margin_pct)}`;
  return {
    id: 'credits',
    title: 'Free credits',
    text: `They paid ${paid} of its cost on these days. ${end}, ${then}.`,
  };
}
