// What a plan charges (D29.2), day by day and in fractions.

/** USD in picodollars; `included` and `used` in units of 10⁻³⁰. */
export interface ModelCharge {
  unit: string;
  price: bigint;
  included: bigint;
}

export interface ModelMonth {
  customer: string;
  /** `YYYY-MM-DD`: the first and the last day of the range in the month. */
  from: string;
  to: string;
  /** The first and last days of what the customer paid for. */
  billed: readonly (readonly [string, string])[];
  used: ReadonlyMap<string, bigint>;
}

const dayMs = 86_400_000;
const numberOf = (day: string) => Date.parse(day) / dayMs;

/** How many months a billing period is; 0 for days that are no whole number of months. */
function monthsIn(length: number): number {
  for (let months = 1; months < 130; months += 1) if (Math.abs(length - months * 30.4375) <= 3) return months;
  return 0;
}

/** The picodollars that a customer's month is charged. */
export function modelBill(base: bigint, charges: readonly ModelCharge[], month: ModelMonth): bigint {
  const [year = 0, number = 0] = month.from.split('-').map(Number);
  const length = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const first = numberOf(`${month.from.slice(0, 8)}01`);
  const calendar = { from: first, length, months: 1 };
  const billed = month.billed
    .map(([from, to]) => ({ from: numberOf(from), length: numberOf(to) - numberOf(from) + 1 }))
    .filter((one) => one.length > 1 && one.from < first + length && one.from + one.length > first)
    .map((one) => ({ ...one, months: monthsIn(one.length) }));
  let paid = 0n;
  // The days paid for, by what one of them is of a month.
  const shares: { part: number; of: number }[] = [];
  for (let day = numberOf(month.from); day <= numberOf(month.to); day += 1) {
    const having = billed.filter((one) => one.from <= day && day < one.from + one.length);
    const whole = having.filter(({ months }) => months > 0);
    const [best] = (whole.length > 0 ? whole : having).sort((a, b) => a.length - b.length || a.from - b.from);
    if (billed.length > 0 && !best) continue;
    const period = best && best.months > 0 ? best : calendar;
    const amount = base * BigInt(period.months);
    const nth = BigInt(day - period.from + 1);
    paid += (amount * nth) / BigInt(period.length) - (amount * (nth - 1n)) / BigInt(period.length);
    shares.push({ part: period.months, of: period.length });
  }
  if (shares.length === 0) return 0n;
  // One denominator for all.
  const denominator = [...new Set(shares.map(({ of }) => of))].reduce((product, of) => product * BigInt(of), 1n);
  const share = shares.reduce((sum, { part, of }) => sum + (denominator / BigInt(of)) * BigInt(part), 0n);
  let numerator = 0n;
  for (const { unit, price, included } of charges) {
    const beyond = (month.used.get(unit) ?? 0n) * denominator - included * share;
    if (beyond > 0n) numerator += price * beyond;
  }
  return paid + halfEven(numerator, denominator * 10n ** 30n);
}

/** Rounded to the nearest whole number, half to even; both are positive. */
function halfEven(numerator: bigint, denominator: bigint): bigint {
  const doubled = (2n * numerator) / denominator;
  const isTie = doubled % 2n === 1n && (2n * numerator) % denominator === 0n;
  const up = (doubled + 1n) / 2n;
  return isTie && up % 2n === 1n ? up - 1n : up;
}
