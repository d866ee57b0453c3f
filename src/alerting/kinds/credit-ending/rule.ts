import { readCredits } from '../../../billing/credits/balances.ts';
import { type GrantBalance, resolveEnd } from '../../../billing/credits/grant-end.ts';
import { addDays, type Day } from '../../../lib/days.ts';
import { linkPath } from '../../../lib/link-path.ts';
import type { Cause } from '../../rule/cause.ts';
import type { SettingsOf } from '../../rule/kind.ts';
import type { LookFor } from '../../rule/look.ts';
import { spellUsd } from '../../rule/wording.ts';
import type { creditEnding } from './kind.ts';

/** Reads what is left of each grant. */
export async function lookAtCredits(look: LookFor<typeof creditEnding>): Promise<Cause[]> {
  const { project, now, today, sources } = look;
  const { grants } = await readCredits({ ...sources, clock: () => now }, project.id);
  return findEndingCredits({ grants, today }, look.settings);
}

/** The predicted day on which a grant runs out moves. A firing lasts until it is this many days beyond the setting. */
const slackDays = 3;

/**
 * Grants with something left that run out or expire within the days of the setting. A firing ends when the grant is
 * used up, expired or deleted, or lasts longer again.
 */
export function findEndingCredits(
  { grants, today }: { readonly grants: readonly GrantBalance[]; readonly today: Day },
  { days }: SettingsOf<typeof creditEnding>,
): Cause[] {
  const soon = addDays(today, days);
  return grants.flatMap((grant): Cause[] => {
    const { id, name, provider, remaining, starts_on: startsOn } = grant;
    const end = resolveEnd(grant);
    if (!end || remaining <= 0 || startsOn > today || end.day < today || end.day > addDays(soon, slackDays)) return [];
    const called = name ?? `The grant of ${provider}`;
    return [
      {
        subject: { grant: id },
        state: end.day <= soon ? 'holds' : 'lingers',
        numbers: { name, provider, remaining, ends_on: end.day, reason: end.reason },
        title: `${called} ${end.reason === 'runs_out' ? 'runs out' : 'expires'} on ${end.day}`,
        text:
          end.reason === 'runs_out'
            ? `${called} has ${spellUsd(remaining)} left. At the pace of the last 30 days it runs out on ${end.day}.`
            : `${called} has ${spellUsd(remaining)} left and expires on ${end.day}.`,
        path: linkPath(['credits']),
      },
    ];
  });
}
