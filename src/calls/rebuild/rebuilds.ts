import { z } from 'zod';
import { chunksOf } from '../../lib/chunks.ts';
import type { Day } from '../../lib/days.ts';
import { openCursor } from '../../lib/http/cursor.ts';
import { cutPage } from '../../lib/http/page-envelope.ts';
import { newId } from '../../lib/ids.ts';
import { parseJson } from '../../lib/json.ts';
import { Problem } from '../../lib/problem.ts';
import { type Assumption, writeAssumption } from '../../pricing/what-if/assumed-prices.ts';
import {
  type ControlQueries,
  type ControlStore,
  changeRows,
  findRow,
  lockProject,
  requireRow,
} from '../../storage/control/control-store.ts';
import type { RebuildRow } from '../../storage/control/schema/schema.ts';
import { beyondRetention } from '../require-calls.ts';
import { type RebuildComparison, withoutCustomer } from './comparison.ts';

export type RebuildKind = RebuildRow['kind'];

/** A request for a new generation of a project's days. */
export interface RebuildRequest {
  readonly projectId: string;
  readonly kind: RebuildKind;
  /** Whether to compute the difference and then discard the new generation. */
  readonly isDryRun: boolean;
  /** Who asks: `admin`, the id of an API key, `theService` or `anErasure`. */
  readonly requestedBy: string;
  /** The days of a reprice; all days for the other kinds. */
  readonly days: { readonly from: Day; readonly to: Day } | undefined;
  readonly timezone: string;
  readonly priceBookId: string | undefined;
  /** Whether to read the texts of the events again (docs/decisions/0019). */
  readonly isReread?: boolean;
  /** What a dry run has found, and what it assumes (D22): then it is done. */
  readonly found?: { readonly comparison: RebuildComparison; readonly assumption: Assumption | undefined };
  readonly now: number;
  /** The new generation gets a higher number than this, because rows of generations up to this one may exist. */
  readonly after?: number;
}

/** The requester of rebuilds that restore lost data. */
export const theService = 'service';
/** The requester of rebuilds after an erasure. */
const anErasure = 'erasure';
/** The limits below don't apply to them. */
const unlimited: ReadonlySet<string> = new Set([theService, anErasure]);

/** The most rebuilds of a project that wait or run at once. */
const maxUnfinished = 10;

/** @throws Problem `conflict` when too many are unfinished, `beyond_retention` when its days are frozen */
export async function requestRebuild(control: ControlStore, request: RebuildRequest): Promise<RebuildRow> {
  return await control.transaction().execute(async (transaction) => {
    await lockProject(transaction, request.projectId);
    return await enterRebuild(transaction, request);
  });
}

/** `requestRebuild` inside a transaction that holds the project's lock. */
export async function enterRebuild(transaction: ControlQueries, request: RebuildRequest): Promise<RebuildRow> {
  const { projectId, days } = request;
  const { frozen_before: keptFrom } = await requireRow(transaction, 'projects', { id: projectId });
  if (days) requireUnfrozen(days, keptFrom ?? undefined);
  const earlier = await transaction
    .selectFrom('rebuilds')
    .select(['state', 'generation'])
    .where('project_id', '=', projectId)
    .execute();
  const unfinished = earlier.filter(({ state }) => isUnfinished(state)).length;
  const { isReread = false, priceBookId, found } = request;
  const isDone = found !== undefined;
  if (!isDone && unfinished >= maxUnfinished && !unlimited.has(request.requestedBy)) {
    throw new Problem(
      'conflict',
      `Already ${maxUnfinished} changes of this project are queued or running; try again later.`,
    );
  }
  const row: RebuildRow = {
    id: newId('rbd'),
    project_id: projectId,
    kind: request.kind,
    dry_run: request.isDryRun || isDone ? 1 : 0,
    state: isDone ? 'done' : 'queued',
    requested_by: request.requestedBy,
    date_from: days?.from ?? null,
    date_to: days?.to ?? null,
    timezone: request.timezone,
    price_book_id: priceBookId ?? null,
    // A reread that also changes prices needs two generations (`rereadGenerationOf`).
    generation:
      (isReread && priceBookId !== undefined ? 2 : 1) +
      Math.max(request.after ?? 0, ...earlier.map(({ generation }) => generation)),
    reread: isReread ? 1 : 0,
    assumption: found?.assumption === undefined ? null : writeAssumption(found.assumption),
    created_at: request.now,
    finished_at: isDone ? request.now : null,
    // It has written no rows.
    cleaned_at: isDone ? request.now : null,
    mark: null,
    position: null,
    events_total: 0,
    events_done: 0,
    comparison: isDone ? JSON.stringify(found.comparison) : null,
    failure: null,
  };
  await transaction.insertInto('rebuilds').values(row).execute();
  if (row.assumption !== null) await forgetOldWhatIfs(transaction, projectId);
  return row;
}

/** How many what-ifs of a project are kept: the dashboard asks one for each change of an assumption. */
const mostWhatIfs = 200;

async function forgetOldWhatIfs(transaction: ControlQueries, projectId: string): Promise<void> {
  const old = await transaction
    .selectFrom('rebuilds')
    .select('id')
    .where('project_id', '=', projectId)
    .where('assumption', 'is not', null)
    .where('cleaned_at', 'is not', null)
    .orderBy('generation', 'desc')
    .offset(mostWhatIfs)
    // SQLite takes no offset without a limit. One is made at a time.
    .limit(10)
    .execute();
  if (old.length === 0) return;
  const ids = old.map(({ id }) => id);
  await transaction.deleteFrom('rebuilds').where('id', 'in', ids).execute();
}

/** @throws Problem `beyond_retention` when some of the days are frozen */
export function requireUnfrozen({ from }: { readonly from: Day }, keptFrom: Day | undefined): void {
  if (keptFrom === undefined || from >= keptFrom) return;
  throw beyondRetention(keptFrom, `These days keep their prices: reprice from ${keptFrom} on.`);
}

/** Queues a rebuild for after the erasure, unless one waits: calls that stay were made of events it deletes. */
export async function rebuildAfterErasure(control: ControlStore, projectId: string, now: number): Promise<void> {
  await control.transaction().execute(async (transaction) => {
    await lockProject(transaction, projectId);
    const waiting = await findRow(transaction, 'rebuilds', {
      project_id: projectId,
      kind: 'rebuild',
      state: 'queued',
      dry_run: 0,
    });
    if (waiting) return;
    const { timezone, pending_timezone: pending } = await requireRow(transaction, 'projects', { id: projectId });
    await enterRebuild(transaction, {
      projectId,
      kind: 'rebuild',
      isDryRun: false,
      requestedBy: anErasure,
      days: undefined,
      timezone: pending ?? timezone,
      priceBookId: undefined,
      now,
    });
  });
}

const isUnfinished = (state: RebuildRow['state']): boolean => state === 'queued' || state === 'running';

/** One per project, the running one or else the first; none of a project with an erasure under way. */
export async function readDueRebuilds(control: ControlStore): Promise<RebuildRow[]> {
  const rows = await control
    .selectFrom('rebuilds')
    .selectAll()
    .where('state', 'in', ['queued', 'running'])
    .where((rebuild) =>
      rebuild.or([
        rebuild('state', '=', 'running'),
        rebuild.not(
          rebuild.exists(
            rebuild
              .selectFrom('erasures')
              .select('erasures.id')
              .whereRef('erasures.project_id', '=', 'rebuilds.project_id')
              .where('erasures.finished_at', 'is', null)
              .where('erasures.step', '>', 0),
          ),
        ),
      ]),
    )
    .orderBy('project_id')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return [...Map.groupBy(rows, (rebuild) => rebuild.project_id).values()].flatMap(
    (ofProject) => ofProject.find(({ state }) => state === 'running') ?? ofProject[0] ?? [],
  );
}

/** One rebuild of a project, or undefined. */
export async function findRebuild(
  control: ControlStore,
  projectId: string,
  id: string,
): Promise<RebuildRow | undefined> {
  return await findRow(control, 'rebuilds', { project_id: projectId, id });
}

/** A cursor's position in a list of rebuilds: a generation. */
const rebuildPosition = z.tuple([z.string().regex(/^\d{1,15}$/)]);

/** A page of a project's rebuilds of one kind, newest first. @throws Problem `invalid_cursor` */
export async function listRebuilds(
  control: ControlStore,
  {
    projectId,
    kind,
    limit,
    cursor,
  }: { projectId: string; kind: RebuildKind; limit: number; cursor: string | undefined },
) {
  const question = ['rebuilds', projectId, kind];
  const after = cursor === undefined ? undefined : Number(openCursor(question, cursor, rebuildPosition)[0]);
  const found = await control
    .selectFrom('rebuilds')
    .select(['id', 'generation'])
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .$if(after !== undefined, (query) => query.where('generation', '<', after ?? 0))
    .orderBy('generation', 'desc')
    .limit(limit + 1)
    .execute();
  const page = cutPage(question, found, limit, ({ generation }) => [String(generation)]);
  const rows: SummarisedRebuild[] = [];
  for (const chunk of chunksOf(page.rows, comparisonsAtOnce)) {
    const ids = chunk.map(({ id }) => id);
    const read = await control
      .selectFrom('rebuilds')
      .selectAll()
      .where('id', 'in', ids)
      .orderBy('generation', 'desc')
      .execute();
    rows.push(...read.map(summarise));
  }
  return { rows, end: page.end };
}

/** The most comparisons that a list holds in memory at once, because a comparison can have thousands of lines. */
const comparisonsAtOnce = 10;

/** A rebuild with the totals of its comparison, once it has one. */
export type SummarisedRebuild = Omit<RebuildRow, 'comparison'> & { readonly totals: RebuildTotals | undefined };
type RebuildTotals = Pick<RebuildComparison, 'before' | 'after' | 'kept_from' | 'by_cause'>;

export function summarise({ comparison, ...rebuild }: RebuildRow): SummarisedRebuild {
  if (comparison === null) return { ...rebuild, totals: undefined };
  const { before, after, kept_from, by_cause } = parseJson(comparison) as RebuildComparison;
  return { ...rebuild, totals: { before, after, by_cause, ...(kept_from !== undefined && { kept_from }) } };
}

/** Removes an erased customer's name from the comparisons of a project, in the caller's transaction (D2). */
export async function forgetCustomer(transaction: ControlQueries, projectId: string, name: string): Promise<void> {
  const rows = await transaction
    .selectFrom('rebuilds')
    .select(['id', 'comparison'])
    .where('project_id', '=', projectId)
    .where('comparison', 'is not', null)
    .execute();
  for (const { id, comparison } of rows) {
    const left = comparison === null ? undefined : withoutCustomer(parseJson(comparison) as RebuildComparison, name);
    if (!left) continue;
    await changeRows(transaction, 'rebuilds', { id }, { comparison: JSON.stringify(left) });
  }
}

/** The progress of a rebuild, from 0 to 1; 1 only when it is done. */
export function calcProgress({
  state,
  events_total: total,
  events_done: done,
}: Pick<RebuildRow, 'state' | 'events_total' | 'events_done'>): number {
  if (state === 'done') return 1;
  return total === 0 ? 0 : Math.min(0.99, done / total);
}
