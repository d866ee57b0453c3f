import { Temporal } from 'temporal-polyfill';
import { latestDay } from '../../lib/day-field.ts';
import { addDays, type Day, toDayNumber } from '../../lib/days.ts';
import { divideHalfEven, type Money, type WideMoney, widen } from '../../lib/money.ts';
import type { CreditTerms, GrantUse } from '../../reports/facts/burn-down.ts';

/** The days over which the burn rate of a grant is averaged, the last being today (D7.4). */
const burnRateDays = 30;

/** The first of the days whose use a grant is predicted from. */
export const firstBurnDay = (today: Day): Day => addDays(today, 1 - burnRateDays);

/** How much of a grant was used, how much is left, and when it runs out (D7.4). */
export interface Balance {
  /** The exact sum of its discounts, up to and including today. */
  readonly used: WideMoney;
  /** The amount less `used`, in whole picodollars, rounded half-even: 30 digits of discounts leave dust. */
  readonly remaining: Money;
  /**
   * The day on which nothing remains. For a used-up grant, the day on which that happened; otherwise predicted from the
   * costs that it has to pay as those of the last 30 days. Null when there were none, when it expires first, or when the day is
   * later than Farthing accepts.
   */
  readonly runsOutOn: Day | null;
}

/**
 * The balance of a grant at the end of `today`, from its use up to that day. `freed` is what grants that have ended paid
 * of the costs that it covers: from now on it pays that.
 */
export function calcBalance(grant: CreditTerms, use: GrantUse, today: Day, freed?: GrantUse['byDay']): Balance {
  const remaining = calcRemaining(grant, use.total);
  return {
    used: use.total,
    remaining,
    runsOutOn:
      remaining === 0n
        ? findUsedUpDay(grant, use)
        : predictUsedUpDay(grant, { remaining, paid: [...use.byDay, ...(freed ?? [])], today }),
  };
}

const calcRemaining = ({ amount }: CreditTerms, used: WideMoney): Money => toWholePicodollars(widen(amount) - used);

const toWholePicodollars = (amount: WideMoney): Money => divideHalfEven(amount, widen(1n));

function findUsedUpDay(grant: CreditTerms, { byDay }: GrantUse): Day | null {
  let used = 0n;
  for (const [day, usedOnDay] of byDay) {
    used += usedOnDay;
    if (calcRemaining(grant, used) === 0n) return day;
  }
  return null;
}

/**
 * The burn rate is the average daily use of the last 30 days, with what ended grants paid, or since the grant's start if that is later. From
 * tomorrow on, the grant is assumed to be used at that rate, until the remainder is used up.
 */
function predictUsedUpDay(
  grant: CreditTerms,
  {
    remaining,
    paid,
    today,
  }: { readonly remaining: Money; readonly paid: readonly (readonly [Day, WideMoney])[]; readonly today: Day },
): Day | null {
  const todayNumber = toDayNumber(today);
  const first = Math.max(todayNumber - burnRateDays + 1, toDayNumber(grant.startsOn));
  const days = todayNumber - first + 1;
  // Rounded, because dust could move the day by one.
  const burnt = toWholePicodollars(
    paid.reduce((sum, [day, used]) => (toDayNumber(day) >= first ? sum + used : sum), 0n),
  );
  if (burnt === 0n) return null;
  const daysLeft = (remaining * BigInt(days) + burnt - 1n) / burnt;
  const lastDay = toDayNumber(grant.expiresOn ?? latestDay);
  if (daysLeft > BigInt(lastDay - todayNumber)) return null;
  return Temporal.PlainDate.from(today)
    .add({ days: Number(daysLeft) })
    .toString();
}
