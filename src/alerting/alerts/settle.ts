import type { ControlStore } from '../../storage/control/control-store.ts';
import type { Lease } from '../../storage/control/lease.ts';
import type { Cause } from '../rule/cause.ts';
import type { Look } from '../rule/look.ts';
import { readOpenFirings } from '../rule/open-firings.ts';
import { endFirings, insertFirings, resolveTurn, toFiringRow } from './firings.ts';
import { notify } from './notify.ts';
import { confirmWatch, type Watch } from './watches.ts';

export interface FoundCauses {
  readonly look: Look<Watch>;
  readonly causes: readonly Cause[];
  /** By `performance.now()`. */
  readonly startedAt: number;
}

/** How many firings begin or end in one transaction, and with one notification: more than a look usually finds. */
const maxAtOnce = 5_000;

/**
 * Begins and ends firings by the findings of a look. One notification of all that begin, and one of all that end, are
 * stored in the same transaction. `more`
 * when there is more to do, `outdated` when the look has to be repeated.
 * @throws LeaseLost
 */
export async function settleFound(
  { control, lease }: { readonly control: ControlStore; readonly lease: Lease },
  { look, causes }: FoundCauses,
): Promise<'done' | 'more' | 'outdated'> {
  const { project, watch, now, today } = look;
  const { kind } = watch;
  const { begun, ended } = resolveTurn(causes, await readOpenFirings(control, project.id, kind));
  // Nearly always there is nothing to write.
  if (begun.length === 0 && ended.length === 0 && watch.hasBegun && watch.lookedDay === today) return 'done';
  return await control.transaction().execute(async (transaction) => {
    await lease.confirm(transaction);
    const turn = resolveTurn(causes, await readOpenFirings(transaction, project.id, kind));
    const hasFinished = turn.begun.length + turn.ended.length <= maxAtOnce;
    if (!(await confirmWatch(transaction, project, { watch, today, now, hasFinished }))) return 'outdated';
    const ending = turn.ended.slice(0, maxAtOnce);
    await notify(transaction, await endFirings(transaction, ending, now), { event: 'ended', at: now });
    const isQuiet = !watch.hasBegun;
    const rows = turn.begun
      .slice(0, maxAtOnce - ending.length)
      .map((cause) => toFiringRow(cause, { projectId: project.id, kind, now, isQuiet }));
    const begun = await insertFirings(transaction, rows);
    if (!isQuiet) await notify(transaction, begun, { event: 'fired', at: now });
    return hasFinished ? 'done' : 'more';
  });
}
