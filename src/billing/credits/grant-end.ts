import { compareCodePoints } from '../../lib/code-points.ts';
import type { Day } from '../../lib/days.ts';

/** A grant, as `GET /api/credit-grants/` shows it. */
export interface GrantBalance {
  readonly id: string;
  readonly name: string | null;
  readonly provider: string;
  readonly starts_on: Day;
  readonly expires_on: Day | null;
  /** USD. */
  readonly remaining: number;
  readonly runs_out_on: Day | null;
}

/** The last day of a grant, and whether it runs out or expires then; undefined when it does neither. */
export function resolveEnd({
  expires_on: expiresOn,
  runs_out_on: runsOutOn,
}: Pick<GrantBalance, 'expires_on' | 'runs_out_on'>) {
  if (runsOutOn !== null && (expiresOn === null || runsOutOn <= expiresOn))
    return { day: runsOutOn, reason: 'runs_out' as const };
  return expiresOn === null ? undefined : { day: expiresOn, reason: 'expires' as const };
}

/** Grants that pay for calls today: valid, used before, and with something left. */
export const listInUse = <Grant extends GrantBalance & { readonly used: number }>(
  grants: readonly Grant[],
  today: Day,
): Grant[] =>
  grants.filter(
    ({ starts_on, expires_on, used, remaining }) =>
      starts_on <= today && (expires_on === null || expires_on >= today) && used > 0 && remaining > 0,
  );

/** The grant that ends last, with its last day; undefined without grants, and when one of them has no known end. */
export function findLastEnd<Grant extends GrantBalance>(grants: readonly Grant[]) {
  const ends = grants.flatMap((grant) => {
    const end = resolveEnd(grant);
    return end ? [{ grant, day: end.day }] : [];
  });
  return ends.length < grants.length ? undefined : ends.sort((a, b) => compareCodePoints(b.day, a.day))[0];
}
