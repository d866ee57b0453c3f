import { toDay } from '../../../lib/days.ts';
import { divideToNumber, type Money, toJsonNumber } from '../../../lib/money.ts';
import { bucketNames } from '../../../lib/usage-buckets.ts';
import { ratioScale } from './constant.ts';
import { type DayRange, isStoredTwice, type Line } from './line.ts';
import type { OtherPrice, PartCause } from './split.ts';

/** The amount of one line in a part of a row, by cause. */
export interface Contribution {
  readonly line: Line;
  readonly cause: PartCause;
  readonly amount: Money;
  readonly calls: bigint;
}

const mostNamed = 3;

const usd = { style: 'currency', currency: 'USD' } as const;
const dollars = new Intl.NumberFormat('en-US', usd);
const smallDollars = new Intl.NumberFormat('en-US', { ...usd, maximumFractionDigits: 6 });
const counts = new Intl.NumberFormat('en-US');
const ratios = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 });

const nameOf = ({ model, provider }: Line): string => model || provider || 'calls without a model';

const sizeOf = (amount: Money): Money => (amount < 0n ? -amount : amount);

function listNames(contributions: readonly Contribution[]): string {
  const names = [
    ...new Set(
      contributions.toSorted((a, b) => (sizeOf(a.amount) > sizeOf(b.amount) ? -1 : 1)).map(({ line }) => nameOf(line)),
    ),
  ];
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return `${names.slice(0, mostNamed).join(', ')}${more}`;
}

const sum = (contributions: readonly Contribution[], pick: (one: Contribution) => bigint): bigint =>
  contributions.reduce((total, one) => total + pick(one), 0n);
function toDollars(amount: Money): string {
  const size = toJsonNumber(amount);
  return (Math.abs(size) < 1 ? smallDollars : dollars).format(size);
}
const amountOf = (contributions: readonly Contribution[]): string =>
  toDollars(sum(contributions, ({ amount }) => amount));
const spellCalls = (calls: bigint): string => (calls === 1n ? '1 call' : `${counts.format(calls)} calls`);
const callsOf = (contributions: readonly Contribution[]): string => spellCalls(sum(contributions, (one) => one.calls));

/** The calls near midnight that are in the period on one side only, by their day on each. */
function listCrossings(contributions: readonly Contribution[], period: DayRange): string {
  const isWithin = (day: number) => day >= period.from && day <= period.to;
  const over = contributions
    .flatMap(({ line }) => line.crossings)
    .filter(({ day, providerDay }) => isWithin(day) !== isWithin(providerDay))
    .sort((a, b) => a.day - b.day || a.providerDay - b.providerDay);
  return [...Map.groupBy(over, ({ day, providerDay }) => `of ${toDay(day)} on ${toDay(providerDay)}`)]
    .map(([days, of]) => {
      const cost = of.reduce((sum, crossing) => sum + crossing.cost, 0n);
      return `${spellCalls(of.reduce((sum, { calls }) => sum + calls, 0n))} ${days} (${toDollars(cost)})`;
    })
    .join(', ');
}

const sentences: Readonly<Record<PartCause, (of: readonly Contribution[], period: DayRange) => string>> = {
  edge: (of, period) =>
    `The provider’s days are in UTC. It has ${listCrossings(of, period)}, which moves ${amountOf(of)} over the edges of this period.`,
  late: (of) =>
    `The invoice has the calls of ${listNames(of)} a day later or earlier, which moves ${amountOf(of)} over the edges of this period.`,
  even_shares: () => 'An entry of several days counts on each of them in equal shares, and the calls do not.',
  unpriced: (of) =>
    `${callsOf(of)} of ${listNames(of)} count as $0: ${amountOf(of)} is what the invoice charges for them. Coverage tells which lack a price (set it, and reprice) and which report no usage.`,
  no_calls: (of) =>
    `${amountOf(of)} is invoiced for ${listNames(of)} on days without a call: look for a service that does not report its calls.`,
  unexplained_calls: (of) =>
    `${amountOf(of)} more is invoiced for ${listNames(of)} than the calls cost, and no price explains it: look for a service that does not report all its calls.`,
  no_entry: (of) =>
    `${callsOf(of)} of ${listNames(of)} are on no invoice: import it, or look whether another account is charged.`,
  fewer_charged: (of) =>
    `${toDollars(sizeOf(sum(of, ({ amount }) => amount)))} is missing from the invoice of ${listNames(of)}, and no price explains it: look for calls that are reported twice or that another account pays.`,
  price: (of) => `Another price of ${listNames(of)}.`,
  common_ratio: (of) =>
    `All models of the provider are invoiced at one factor below their prices: ${amountOf(of)} on ${listNames(of)}.`,
  discount: (of) => `Discounts on the invoice: ${amountOf(of)}.`,
  credit: (of) => `Credits on the invoice: ${amountOf(of)}.`,
  tax: (of) => `Taxes on the invoice: ${amountOf(of)}.`,
  other: (of) => `Entries for other things than usage: ${amountOf(of)}.`,
  rounding: () => 'What the invoice rounds.',
  unexplained: (of) =>
    `${amountOf(of)} of ${listNames(of)} is not explained: ask by day and model, over at least three days.`,
};

/** A part of a row in plain sentences: one for each cause, the largest first. */
export function describePart(contributions: readonly Contribution[], period: DayRange): string {
  const byCause = [...Map.groupBy(contributions, ({ cause }) => cause)];
  return byCause
    .sort(([, a], [, b]) => (sizeOf(sum(a, ({ amount }) => amount)) > sizeOf(sum(b, ({ amount }) => amount)) ? -1 : 1))
    .map(([cause, of]) => sentences[cause](of, period))
    .concat(contributions.some(({ line }) => line.isStoredTwoWays) ? [twoWays] : [])
    .join(' ');
}

const twoWays =
  'An entry of several days is the sum of entries of its days: if one bill was stored twice by other periods, delete one of them.';

/** The description of a line's other price. */
export function describePrice(line: Line, { finding, override }: OtherPrice): string {
  const { compared } = finding.window;
  const isDaily = compared.every(({ from, to }) => from === to);
  const held = `on ${compared.length} ${isDaily ? 'days' : 'spans of days'}`;
  const what =
    finding.kind === 'ratio'
      ? `is invoiced at ${ratios.format(divideToNumber(finding.ratio, ratioScale))} times what its calls cost`
      : `has ${bucketNames[finding.bucket].replaceAll('_', ' ')} tokens at ${toDollars(finding.rate)} per million on the invoice, not ${toDollars(finding.listed)}`;
  const advice = isStoredTwice(line, finding)
    ? 'These days have entries twice, under different ids: if one invoice was stored twice, delete one of them.'
    : override
      ? 'Set this price, and reprice these days.'
      : 'No single price override closes it: several names, tiers or terms are in it.';
  return `${nameOf(line)} ${what}, ${held}. ${advice}`;
}
