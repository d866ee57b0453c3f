import { Temporal } from 'temporal-polyfill';
import { latestDay } from '../lib/day-field.ts';
import { type Day, toDayNumber } from '../lib/days.ts';
import { divideHalfEven, type Money, type WideMoney, widen } from '../lib/money.ts';
import type { CreditTerms, GrantUse } from './burn-down.ts';

/** How many days the burn rate of a grant is taken over, today being the last of them (D7.4). */
const burnRateDays = 30;

/** What a grant was used for, what is left of it, and until when that lasts (D7.4). */
export interface Balance {
  /** The exact sum of its discounts, up to and including today. */
  readonly used: WideMoney;
  /**
   * The amount less what was used, in whole picodollars, half-even. Discounts are cut off at 30 digits, so a grant that is used
   * up is left with dust far below that; rounded, it is left with 0.
   */
  readonly remaining: Money;
  /**
   * The day on which nothing remains: of a grant that is used up the day on which that came to be, otherwise the day on which
   * it will be if it is used as it was on the last 30 days. Null when it is not used now, when it expires before, or when that is
   * a day beyond those that Farthing knows.
   */
  readonly runsOutOn: Day | null;
}

/** The balance of a grant at the end of `today`, of what it was used for up to that day. */
export function calcBalance(grant: CreditTerms, use: GrantUse, today: Day): Balance {
  const remaining = calcRemaining(grant, use.total);
  return {
    used: use.total,
    remaining,
    runsOutOn:
      remaining === 0n ? findUsedUpDay(grant, use) : predictUsedUpDay(grant, { remaining, byDay: use.byDay, today }),
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
 * The burn rate is the use of the last 30 days, or of the days since the grant's start if these are fewer, over their number.
 * From tomorrow on the grant is used at that rate; it runs out on the day on which the rest of it is reached.
 */
function predictUsedUpDay(
  grant: CreditTerms,
  { remaining, byDay, today }: { readonly remaining: Money; readonly byDay: GrantUse['byDay']; readonly today: Day },
): Day | null {
  const todayNumber = toDayNumber(today);
  const first = Math.max(todayNumber - burnRateDays + 1, toDayNumber(grant.startsOn));
  const days = todayNumber - first + 1;
  // Without dust, which would move the day by one.
  const burnt = toWholePicodollars(
    [...byDay].reduce((sum, [day, used]) => (toDayNumber(day) >= first ? sum + used : sum), 0n),
  );
  if (burnt === 0n) return null;
  const daysLeft = (remaining * BigInt(days) + burnt - 1n) / burnt;
  const lastDay = toDayNumber(grant.expiresOn ?? latestDay);
  if (daysLeft > BigInt(lastDay - todayNumber)) return null;
  return Temporal.PlainDate.from(today)
    .add({ days: Number(daysLeft) })
    .toString();
}
