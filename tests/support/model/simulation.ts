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
  used: ReadonlyMap<string, bigint>;
}

/** The picodollars that a customer's month is charged. */
export function modelBill(base: bigint, charges: readonly ModelCharge[], { from, to, used }: ModelMonth): bigint {
  const [year = 0, month = 0] = from.split('-').map(Number);
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const [first, last] = [Number(from.slice(8)), Number(to.slice(8))];
  let paid = 0n;
  for (let day = first; day <= last; day += 1) {
    paid += (base * BigInt(day)) / BigInt(length) - (base * BigInt(day - 1)) / BigInt(length);
  }
  for (const { unit, price, included } of charges) {
    // In parts of a day and of 10⁻⁴² USD.
    const free = included * BigInt(last - first + 1);
    const all = (used.get(unit) ?? 0n) * BigInt(length);
    if (all > free) paid += halfEven(price * (all - free), BigInt(length) * 10n ** 30n);
  }
  return paid;
}

/** Rounded to the nearest whole number, half to even; both are positive. */
function halfEven(numerator: bigint, denominator: bigint): bigint {
  const doubled = (2n * numerator) / denominator;
  const isTie = doubled % 2n === 1n && (2n * numerator) % denominator === 0n;
  const up = (doubled + 1n) / 2n;
  return isTie && up % 2n === 1n ? up - 1n : up;
}
