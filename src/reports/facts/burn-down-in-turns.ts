import { inHeavyTurn } from '../../lib/heavy-work.ts';
import { stepsInTurns } from '../../lib/in-turns.ts';
import { type BurnDown, type CreditTerms, calcBurnDown, type DailyGross } from './burn-down.ts';

/** From this many costs times grants on, to use grants takes much memory and time: tens of milliseconds. */
const heavyFrom = 200_000;

/**
 * Uses grants for costs while others are answered, and in a heavy turn where there are many.
 * @throws AnswerTooLarge as `calcBurnDown` does, Problem `rate_limited` as `inHeavyTurn` does
 */
export async function burnDownInTurns(grants: readonly CreditTerms[], costs: readonly DailyGross[]): Promise<BurnDown> {
  const work = async () => await stepsInTurns(calcBurnDown(grants, costs));
  return await (grants.length * costs.length < heavyFrom ? work() : inHeavyTurn(work));
}
