import { z } from 'zod';
import type { Project } from '../../accounts/projects.ts';
import { readAppliedRereads } from '../../calls/applied-rereads.ts';
import { readWatermarksOf } from '../../calls/assembly/watermarks.ts';
import { type CostedMerge, costMergedCall } from '../../calls/costing/cost-calls.ts';
import { isPlainSpan } from '../../calls/events/plain-span.ts';
import { type Generations, generationOf, isFrozen, readGenerations } from '../../calls/generations.ts';
import { gather } from '../../calls/joins/gather.ts';
import { type JoinSettings, joinCalls } from '../../calls/joins/join-calls.ts';
import { isWithdrawn } from '../../calls/joins/wrapper.ts';
import { attacher } from '../../calls/merging/attach.ts';
import {
  type CondensedId,
  type StoredCondensed,
  selectCondensed,
  toCondensedId,
} from '../../calls/merging/condensed-ids.ts';
import type { LoggedEvent, MergedCall } from '../../calls/merging/merge.ts';
import { type Select, selectEventsOfIds } from '../../calls/merging/sql.ts';
import { beyondRetention } from '../../calls/require-calls.ts';
import { dayOf } from '../../lib/days.ts';
import { type Money, parseMoney } from '../../lib/money.ts';
import { Problem } from '../../lib/problem.ts';
import { unitNames } from '../../lib/units.ts';
import { usageBuckets } from '../../lib/usage-buckets.ts';
import type { BookInForce, PriceBooks } from '../../pricing/books/price-books.ts';
import type { CallCost } from '../../pricing/cost.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { readCoveredCosts } from '../asking/cost-basis.ts';
import { readIdSpan } from '../asking/received-events.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { coveredShares } from '../facts/burn-down.ts';
import { currentFacts } from '../facts/facts.ts';
import { toCall } from './call.ts';
import { type KnownId, readEventsOfCall, readEventsOfId } from './events.ts';
import { toExplanation } from './explanation.ts';
import { type CallRecord, readCallsByKey } from './sql.ts';
import { explainWrapper } from './wrapper.ts';

/** The inputs of a call's explanation. */
export interface OneCallSources extends Pick<AnswerSources, 'store' | 'answerCache' | 'control'> {
  readonly priceBooks: PriceBooks;
}

/** How long to wait until all events of the call are assembled, and how often to look, in milliseconds. */
const settleWithinMs = 5_000;
const settleEveryMs = 50;

/**
 * Reads one call, the latest of its id unless `ordinal` names one, with the explanation of its cost and its events
 * (D5.6). For an id without an outcome, reads only the events.
 * @throws Problem `not_found`, `beyond_retention` for a call of a frozen day, or `catching_up` while events of the call
 * are not assembled
 */
export async function readOneCall(
  project: Project,
  { eventId, ordinal }: { readonly eventId: string; readonly ordinal: number | undefined },
  sources: OneCallSources,
) {
  const { store } = sources;
  const until = Date.now() + settleWithinMs;
  for (let attempt = 1; ; attempt += 1) {
    const id = isUuid(eventId) ? await findId(project.id, eventId.toLowerCase(), store) : undefined;
    if (!id) throw noSuchCall();
    const merged = await readMergedCalls(id, { ...sources, joinsAlike: project.joinAlike });
    if (merged.isPlainSpan) throw noSuchCall();
    const { calls, condensed } = merged;
    const call = calls[ordinal ?? calls.length - 1];
    if (!call) {
      if (ordinal !== undefined) throw noSuchOrdinal(calls.length);
      const { events, total } = condensed
        ? await readEventsOfCall(id, { events: condensed.kept, condensed }, store)
        : await readEventsOfId(id, store);
      if (total === 0) throw noSuchCall();
      return { event_id: id.eventId, open: true as const, calls: 0 as const, events, events_total: total };
    }
    await requireKept(project, call, sources);
    if (isWithdrawn(call)) throw new Problem('not_found', 'The client that reported this call has taken it back.');
    const wrapper = await explainWrapper(project, call, sources);
    if (wrapper) {
      const { events, total } = await readEventsOfCall(id, { ...call, condensed }, store);
      return { ...wrapper, open: false as const, calls: calls.length, events, events_total: total };
    }
    // Check this before the stored call is read. If all events are assembled by now, the stored call includes them.
    const isAssembled = await areAssembled(call, sources);
    const found = await findStored(project, call, sources);
    if (found?.isReproduced || (found && isAssembled && attempt > 1)) {
      const [explained, { events, total }] = await Promise.all([
        explainStored(project, found, sources),
        readEventsOfCall(id, { ...call, condensed }, store),
      ]);
      return { ...explained, open: false as const, calls: calls.length, events, events_total: total };
    }
    if (Date.now() > until) {
      throw new Problem('catching_up', 'Some events of this call are not processed yet; try again.', {
        headers: { 'retry-after': '1' },
      });
    }
    await new Promise((resolve) => setTimeout(resolve, settleEveryMs));
  }
}

/** Refuses a call of a frozen day: only the day's totals are kept, and its late events are in no total. */
async function requireKept(project: Project, { timeMs }: MergedCall, { control }: OneCallSources): Promise<void> {
  const generations = await readGenerations(control, project.id);
  const day = dayOf(generations.timezone, timeMs);
  if (generations.frozenBefore === undefined || !isFrozen(generations, day)) return;
  throw beyondRetention(generations.frozenBefore, `This call is of ${day}.`);
}

const noSuchCall = () => new Problem('not_found', 'This project has no event of a call with this id.');

const noSuchOrdinal = (calls: number) =>
  new Problem(
    'not_found',
    calls === 0
      ? 'This id has no outcome yet, and so no call: leave the ordinal out.'
      : `This id has ${calls === 1 ? 'one call' : `${calls} calls`}: send an ordinal from 0 to ${calls - 1}.`,
  );

const isUuid = (text: string): boolean => z.guid().safeParse(text).success;

async function findId(project: string, eventId: string, store: OneCallSources['store']): Promise<KnownId | undefined> {
  const span = await readIdSpan(project, eventId, store);
  return span && { project, eventId, ...span };
}

interface MergedId {
  readonly calls: readonly MergedCall[];
  /** Whether its events hold a span that is no call. */
  readonly isPlainSpan: boolean;
  /** The id as its events have made it, if there are many. */
  readonly condensed: CondensedId | undefined;
}

/** The calls that the events of an id make, in the order of their ordinals. */
async function readMergedCalls(
  id: KnownId,
  { store, control, joinsAlike }: Pick<OneCallSources, 'store' | 'control'> & Pick<JoinSettings, 'joinsAlike'>,
): Promise<MergedId> {
  const { project: projectId, eventId } = id;
  const rereads = await readAppliedRereads(control, projectId);
  const select = <Row>(clause: Clause) => store.select<Row>(clause.sql, clause.parameters);
  const attach = attacher(select, new Set(rereads.size > 0 ? [projectId] : []));
  const { condensed, events: found } = await readEventsThatDecide(id, select);
  const events = await attach.toEvents(found);
  const inHand = { projectId, eventId, events, condensed };
  const { calls, related, spans } = await gather({ select, attach }, [inHand], { alsoInside: false });
  const joined = await joinCalls([...calls, ...related], spans, { rereads, joinsAlike });
  return {
    calls: joined.slice(0, calls.length),
    isPlainSpan: events.length > 0 && events.every(isPlainSpan),
    condensed,
  };
}

/** All events of an id, or those that decide if it is condensed. */
async function readEventsThatDecide(
  { project, eventId, firstMs, lastMs }: KnownId,
  select: Select,
): Promise<{ readonly condensed?: CondensedId; readonly events: readonly LoggedEvent[] }> {
  const ids = { sql: 'SELECT {project:String}, {event_id:UUID}', parameters: { project, event_id: eventId } };
  const [stored] = await select<StoredCondensed>(selectCondensed(ids));
  if (stored) {
    const condensed = toCondensedId(stored);
    return { condensed, events: condensed.kept };
  }
  return { events: await select<LoggedEvent>(selectEventsOfIds({ ids, sinceMs: firstMs, untilMs: lastMs })) };
}

/** Whether all events of a call are assembled. All events of a writer without a watermark are. */
async function areAssembled({ projectId, events }: MergedCall, { control }: OneCallSources): Promise<boolean> {
  const reached = new Map((await readWatermarksOf(control, projectId)).map(({ writer, seq }) => [writer, seq]));
  return events.every(({ writer, seq }) => seq <= (reached.get(writer) ?? Number.POSITIVE_INFINITY));
}

/** A stored call, and its cost computed again from its events and price book. */
interface StoredCall {
  readonly stored: CallRecord;
  readonly generations: Generations;
  readonly priceBook: BookInForce;
  readonly cost: CallCost;
  /** Whether the stored call has that cost. */
  readonly isReproduced: boolean;
  /** The cost that a gateway or another tool computed for the call (D16.1). */
  readonly costElsewhere: Money | null;
  readonly reports: NonNullable<MergedCall['reports']>;
}

async function findStored(
  project: Project,
  merged: MergedCall,
  { store, control, priceBooks }: OneCallSources,
): Promise<StoredCall | undefined> {
  const generations = await readGenerations(control, project.id);
  const day = dayOf(generations.timezone, merged.timeMs);
  const key = { day, generation: generationOf(generations, day), eventId: merged.eventId, ordinal: merged.ordinal };
  const [stored] = await readCallsByKey(store, project.id, [key]);
  // Read the books after the call, because the call may have a new one.
  const priceBook = stored && (await priceBooks.ofProject(project.id)).find(stored.price_book);
  if (!priceBook) return undefined;
  const costed = costMergedCall(merged, priceBook);
  return {
    stored,
    generations,
    priceBook,
    cost: costed.cost,
    isReproduced: isStored(costed, stored),
    costElsewhere: parseMoney(merged.fields.reported_cost ?? ''),
    reports: merged.reports ?? [],
  };
}

async function explainStored(
  project: Project,
  { stored, generations, priceBook, cost, isReproduced, costElsewhere, reports }: StoredCall,
  sources: OneCallSources,
) {
  const day = stored.on_day;
  const facts = currentFacts(sources.control, project.id);
  const costs = await readCoveredCosts(sources, { generations, facts, period: { dateFrom: day, dateTo: day } });
  const covered = coveredShares(costs)({ day, provider: stored.provider, model: stored.model });
  const gross = parseMoney(stored.gross_cost) ?? 0n;
  return {
    ...toCall(stored, { withNetCost: false }),
    explanation: toExplanation({ gross, cost, isReproduced, priceBook, covered, costElsewhere, reports }),
  };
}

/** Whether the stored call has the same cost, source, unpriced reason, provider, tokens and units. */
const isStored = ({ costed: { usage, units }, cost }: CostedMerge, stored: CallRecord): boolean =>
  parseMoney(stored.gross_cost) === cost.cost &&
  stored.cost_source === cost.source &&
  stored.unpriced_reason === (cost.unpricedReason ?? '') &&
  stored.provider === cost.provider &&
  usageBuckets.every((bucket, index) => Number(stored.tokens[index]) === (usage?.[bucket] ?? 0)) &&
  unitNames.every((name) => (parseMoney(stored.units[name] ?? '0') ?? 0n) === (units[name] ?? 0n));
