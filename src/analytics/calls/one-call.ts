import { z } from 'zod';
import { type CostedMerge, costMergedCall } from '../../calls/assembly/cost-calls.ts';
import { type MergedCallWithEvents, mergeEvents } from '../../calls/assembly/merge.ts';
import { generationOf, readGenerations } from '../../calls/generations.ts';
import { dayOf } from '../../lib/days.ts';
import { parseMoney } from '../../lib/money.ts';
import { Problem } from '../../lib/problem.ts';
import { usageBuckets } from '../../lib/usage-buckets.ts';
import type { PriceBooks } from '../../pricing/price-books.ts';
import type { Project } from '../../projects/projects.ts';
import { readCoveredShares } from '../cost-basis.ts';
import type { AnalyticsSources } from '../sources.ts';
import { toCall } from './call.ts';
import { readEventsOfCall, readEventsOfId, readSpan, type Span } from './events.ts';
import { toExplanation } from './explanation.ts';
import { type CallRecord, readCallsByKey } from './sql.ts';

/** What the explanation of a call is made from. */
export interface OneCallSources extends Pick<AnalyticsSources, 'store' | 'control'> {
  readonly priceBooks: PriceBooks;
}

/** How long an explanation waits for the calls to hold what the log says, and how often it looks, in milliseconds. */
const settleWithinMs = 5_000;
const settleEveryMs = 50;

/**
 * Reads one call, the latest of its id unless `ordinal` says which, with how its cost was reached and its events (D5.6). An
 * id that has no outcome yet is answered with its events only.
 * @throws Problem `not_found`, or `catching_up` when the call can't be explained for it is being changed
 */
export async function readOneCall(
  project: Project,
  { eventId, ordinal }: { readonly eventId: string; readonly ordinal: number | undefined },
  sources: OneCallSources,
) {
  const until = Date.now() + settleWithinMs;
  for (;;) {
    const span = isUuid(eventId) ? await readSpan(project.id, eventId.toLowerCase(), sources.store) : undefined;
    if (!span) throw new Problem('not_found', 'This project has no event of a call with this id.');
    const calls = await readMergedCalls(span, sources);
    const call = calls[ordinal ?? calls.length - 1];
    if (!call && ordinal !== undefined) {
      throw new Problem('not_found', `The number of calls of this id is ${calls.length}; ordinals begin with 0.`);
    }
    if (!call) {
      const { events, total } = await readEventsOfId(span, sources.store);
      return { event_id: span.eventId, open: true as const, calls: 0 as const, events, events_total: total };
    }
    const explained = await explainCall(project, call, sources);
    if (explained) {
      const { events, total } = await readEventsOfCall(span, call, sources.store);
      return { ...explained, open: false as const, calls: calls.length, events, events_total: total };
    }
    if (Date.now() > until) {
      throw new Problem('catching_up', 'This call is being changed by events that are not in it yet; ask again.', {
        headers: { 'retry-after': '1' },
        cause: new Error(`What is stored of the call ${eventId} is not what its events and its price book give`),
      });
    }
    await new Promise((resolve) => setTimeout(resolve, settleEveryMs));
  }
}

const isUuid = (text: string): boolean => z.guid().safeParse(text).success;

/** The calls of an id as its events make them, in the order of their ordinals. */
async function readMergedCalls(
  { project, eventId, firstMs, lastMs }: Span,
  { store }: OneCallSources,
): Promise<MergedCallWithEvents[]> {
  const { sql, parameters } = mergeEvents({
    ids: { sql: 'SELECT {project:String}, {event_id:UUID}', parameters: { project, event_id: eventId } },
    sinceMs: firstMs,
    untilMs: lastMs,
    withEvents: true,
  });
  const merged = await store.select<MergedCallWithEvents>(sql, parameters);
  return merged.sort((a, b) => a.ordinal - b.ordinal);
}

/** A stored call and how its cost was reached; undefined while its events don't give what is stored. */
async function explainCall(project: Project, merged: MergedCallWithEvents, sources: OneCallSources) {
  const { store, control, priceBooks } = sources;
  const generations = await readGenerations(control, project.id);
  const { timezone } = generations;
  const day = dayOf(timezone, Number(merged.time));
  const key = {
    day,
    generation: generationOf(generations, day),
    eventId: merged.event_id,
    ordinal: merged.ordinal,
  };
  const [stored] = await readCallsByKey(store, project.id, [key]);
  // After the call: its book may be new.
  const priceBook = stored && (await priceBooks.ofProject(project.id)).find(stored.price_book);
  if (!priceBook) return undefined;
  const costed = costMergedCall(merged, priceBook);
  if (!isStored(costed, stored)) return undefined;

  const shares = await readCoveredShares(sources, project, { generations, period: { dateFrom: day, dateTo: day } });
  const share = shares.find(({ provider, model }) => provider === stored.provider && model === stored.model);
  return {
    ...toCall(stored, { withNetCost: false }),
    explanation: toExplanation(costed.cost, priceBook, share),
  };
}

/** Whether this is the cost, and what it was reached from, that is stored. */
const isStored = ({ usage, cost }: CostedMerge, stored: CallRecord): boolean =>
  parseMoney(stored.gross_cost) === cost.cost &&
  stored.cost_source === cost.source &&
  stored.unpriced_reason === (cost.unpricedReason ?? '') &&
  stored.provider === cost.provider &&
  usageBuckets.every((bucket, index) => Number(stored.tokens[index]) === (usage?.[bucket] ?? 0));
