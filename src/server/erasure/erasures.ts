import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { eraseFromAudit, eraseFromLatest } from '../../accounts/audit/erase-names.ts';
import { eraseFromNames } from '../../billing/provider-accounts/names.ts';
import { readRunningRebuild } from '../../calls/assembly/contexts.ts';
import { listApart } from '../../calls/assembly/left-out.ts';
import { touchAllDays } from '../../calls/days.ts';
import { type Generations, readGenerations } from '../../calls/generations.ts';
import { inForce } from '../../calls/in-force.ts';
import { noteIdsOf } from '../../calls/merging/open-state.ts';
import { noteMoves } from '../../calls/pins/copies.ts';
import { forgetCustomer, rebuildAfterErasure } from '../../calls/rebuild/rebuilds.ts';
import { unrecorded } from '../../lib/actor.ts';
import type { TaggedDimension } from '../../lib/dimensions.ts';
import { openCursor } from '../../lib/http/cursor.ts';
import { cutPage } from '../../lib/http/page-envelope.ts';
import { newId } from '../../lib/ids.ts';
import { eraseFromClosedFacts } from '../../reports/facts/pin-facts.ts';
import { eraseFromSaved } from '../../reports/plans/simulation/saved.ts';
import { eraseFromPinnedDays } from '../../rollups/pins/erase-pinned.ts';
import { eraseFromFrozenDays } from '../../rollups/retention/erase-frozen.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { changeOf, runStatement, type Statement } from '../../storage/analytic/deletion.ts';
import { projectTables } from '../../storage/analytic/project-tables.ts';
import type { BackgroundJob } from '../../storage/background-job.ts';
import { type ControlSources, type ControlStore, changeRows, deleteRows } from '../../storage/control/control-store.ts';
import type { Lease } from '../../storage/control/lease.ts';
import type { ErasureRow } from '../../storage/control/schema/schema.ts';
import { eraseFirings, eraseStripeObjects } from './erase-facts.ts';
import { noteOtherReports } from './erase-reports.ts';

export interface ErasureSources extends ControlSources {
  readonly store: AnalyticStore;
  readonly lease: Lease;
}

export class Eraser implements BackgroundJob {
  readonly name = 'erasure';
  readonly restsDuringBackup = true;
  readonly #sources: ErasureSources;

  constructor(sources: ErasureSources) {
    this.#sources = sources;
  }

  async step({ isBusy }: { readonly isBusy: boolean }): Promise<boolean> {
    const until = performance.now() + mostMs;
    for (;;) {
      const turn = await carryOnErasures(this.#sources);
      if (turn === 'none' || isBusy) return turn === 'further';
      // Deletions of few rows end soon; each step of an erasure waits for those of the step before.
      await this.#untilDeleted(until);
      if (performance.now() >= until) return true;
    }
  }

  async #untilDeleted(until: number): Promise<void> {
    for (let pauseMs = 40; performance.now() < until; pauseMs *= 2) {
      if (!(await this.#sources.store.isDeleting(projectTables))) return;
      await wait(Math.max(0, Math.min(pauseMs, until - performance.now())));
    }
  }
}

/** How long erasures of an idle service go on in one turn, in milliseconds. */
const mostMs = 500;

/** Records an erasure, which the holder of the lease carries out. */
export async function requestErasure(
  { control, clock }: Pick<ErasureSources, 'control' | 'clock'>,
  projectId: string,
  dimension: TaggedDimension,
  name: string,
): Promise<ErasureRow> {
  const row: ErasureRow = {
    id: newId('era'),
    project_id: projectId,
    dimension,
    name,
    created_at: clock(),
    step: 0,
    finished_at: null,
  };
  await control.insertInto('erasures').values(row).execute();
  return row;
}

const erasurePosition = z.tuple([z.string().regex(/^\w{1,64}$/)]);

/**
 * A page of a project's erasures, newest first, and the end of the page. One that has left calls to be made again has
 * not finished before the rebuild which does that. @throws Problem `invalid_cursor`
 */
export async function listErasures(
  control: ControlStore,
  { projectId, limit, cursor }: { projectId: string; limit: number; cursor: string | undefined },
) {
  const question = ['erasures', projectId];
  const after = cursor === undefined ? undefined : openCursor(question, cursor, erasurePosition)[0];
  const found = await control
    .selectFrom('erasures')
    .selectAll()
    .where('project_id', '=', projectId)
    .$if(after !== undefined, (query) => query.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const rebuild = await control
    .selectFrom('rebuilds')
    .select('created_at')
    .where('project_id', '=', projectId)
    .where('kind', '=', 'rebuild')
    .where('dry_run', '=', 0)
    .where('state', 'in', ['queued', 'running'])
    .orderBy('created_at')
    .executeTakeFirst();
  const hasFinished = (at: number | null) => at !== null && (rebuild === undefined || at < rebuild.created_at);
  const rows = found.map((row) => (hasFinished(row.finished_at) ? row : { ...row, finished_at: null }));
  return cutPage(question, rows, limit, ({ id }) => [id]);
}

/** The delay between the request and the start of an erasure, in milliseconds: events in flight arrive in that time. */
const graceMs = 2_000;

/** The condition for a time that is not after the request. */
const upToRequest = (column: string) => `${column} <= fromUnixTimestamp64Milli({asked_at:Int64}, 'UTC')`;

/** Events received before the erasure was requested. */
const cameBefore = upToRequest('received_at');

/**
 * The statements of an erasure, by step; each can be repeated. They delete the calls of the customer or user that began
 * before the request, all events of these calls, and other events with the name, such as custom ones. Event ids are
 * recorded first. Older rows of a call may name nobody or somebody else; they must be deleted too, and only the id
 * finds them. What came after the request is kept, however long the erasure waits: an event whose id is not recorded is
 * deleted only if it was received before, because a later one belongs to a call that stays and needs its events.
 */
const statements = (column: TaggedDimension, generations: Generations): Statement[][] => {
  const current = inForce(generations);
  const parameters = current.parameters;
  const isNoted = isNotedAs('erasure');
  const idsOfCalls = `SELECT event_id FROM calls FINAL WHERE project = {project:String} AND ${current.sql}`;
  // A call's `first_received_at` is that of its first outcome; an event with the name may have come before.
  const idsNamedBefore = `SELECT event_id FROM events
          WHERE project = {project:String} AND ${column} = {name:String} AND phase != 'custom' AND ${cameBefore}`;
  return [
    [
      {
        sql: `INSERT INTO erased_ids SELECT DISTINCT {project:String}, {erasure:String}, event_id FROM (
          ${idsOfCalls} AND ${column} = {name:String}
            AND (${upToRequest('first_received_at')} OR event_id IN (${idsNamedBefore}))
          UNION ALL
          ${idsNamedBefore} AND event_id NOT IN (${idsOfCalls})
        )`,
        parameters,
      },
    ],
    // The other ids that lose events are of calls that stay, because later events name somebody else.
    [
      {
        sql: `INSERT INTO erased_ids SELECT DISTINCT {project:String}, {left:String}, event_id
          FROM (${idsNamedBefore} AND NOT ${isNoted})`,
        parameters: {},
      },
    ],
    // Calls that neither answers nor closes read may name it too, under ids that are not recorded.
    [{ ...deleteFrom('calls', `${isNoted} OR (${column} = {name:String} AND NOT (${current.sql}))`), parameters }],
    [
      deleteFrom('events', `${isNoted} OR (${column} = {name:String} AND ${cameBefore})`),
      deleteFrom('event_contents', isNoted),
    ],
    // A call that has ended since its row was deleted, or had none, was made of events that are gone now.
    // An id without its condensed events is condensed again from the log, which no longer has those of the name.
    [
      deleteFrom('calls', `${isNoted} AND ${column} = {name:String}`),
      deleteFrom('condensed_ids', `${isNoted} OR position(state, {name_in_json:String}) > 0`),
      // An id that has lost events may begin or end with another one.
      deleteFrom('event_ids', `${isNoted} OR ${isNotedAs('left')}`),
      deleteFrom('report_keys', isNoted),
    ],
    [{ sql: noteIdsOf(`project = {project:String} AND ${isNotedAs('left')}`), parameters: {} }],
    [deleteFrom('erased_ids', 'erasure IN ({erasure:String}, {left:String})'), ...deleteNames(column)],
  ];
};

const deleteFrom = (table: string, where: string) => changeOf(table, 'DELETE', where);

const isNotedAs = (parameter: 'erasure' | 'left'): string =>
  `event_id IN (SELECT event_id FROM erased_ids WHERE project = {project:String} AND erasure = {${parameter}:String})`;

/** The name under which `erased_ids` has the ids that lose events and stay. */
const leftOf = (erasureId: string): string => `${erasureId} left`;

/** The step of `statements` that deletes events. */
const deletesEvents = 3;

/** Whether an erasure deletes events of calls that stay. */
async function leavesCalls(store: AnalyticStore, { project_id: project, id }: ErasureRow): Promise<boolean> {
  const rows = await store.select(
    'SELECT 1 FROM erased_ids WHERE project = {project:String} AND erasure = {left:String} LIMIT 1',
    { project, left: leftOf(id) },
  );
  return rows.length > 0;
}

/** Until the erasure has finished, days that are not frozen are read from the calls. */
function deleteNames(dimension: TaggedDimension): Statement[] {
  const isNamed = `${dimension} = {name:String}`;
  if (dimension === 'user') return ['cells', 'frozen_readings'].map((table) => deleteFrom(table, isNamed));
  return [
    ...['cells', 'customer_cells', 'tag_cells', 'run_cells', 'frozen_pieces'].map((table) =>
      deleteFrom(table, isNamed),
    ),
    // The run keeps its row, so that it still counts as one run where it has other days.
    changeOf(
      'runs',
      `UPDATE first_customer = if(first_customer = {name:String}, '', first_customer),
        last_customer = if(last_customer = {name:String}, '', last_customer)`,
      'first_customer = {name:String} OR last_customer = {name:String}',
    ),
  ];
}

/** The most erasures that advance in one turn, and for how long, in milliseconds. Assembly waits meanwhile. */
const maxAtOnce = 50;
const maxStepMs = 500;

/** Whether erasures have advanced, so that there may be more to do, or wait for deletions under way. */
type ErasureTurn = 'none' | 'deleting' | 'further';

/** Advances erasures by one step each. It can stop at any point. */
export async function carryOnErasures({ store, control, clock, lease }: ErasureSources): Promise<ErasureTurn> {
  const waiting = await control
    .selectFrom('erasures')
    .selectAll()
    .where('finished_at', 'is', null)
    .where('created_at', '<', clock() - graceMs)
    .orderBy('id')
    .limit(maxAtOnce)
    .execute();
  // ClickHouse deletes in the background, even after a restart; each deletion depends on the ones before it.
  if (waiting.length === 0) return 'none';
  if (await store.isDeleting(projectTables)) return 'deleting';
  let turn: ErasureTurn = 'none';
  const since = clock();
  for (const erasure of waiting) {
    if (turn === 'further' && clock() - since > maxStepMs) break;
    // A running rebuild could write back data that it has already read. None starts until the erasure has finished.
    if (await readRunningRebuild(control, erasure.project_id)) continue;
    if (erasure.step === 0 && !(await isAssembled(store, control, erasure))) continue;
    await takeStep(erasure, { store, control, clock, lease });
    turn = 'further';
  }
  return turn;
}

async function takeStep(erasure: ErasureRow, { store, control, clock, lease }: ErasureSources): Promise<void> {
  const { project_id: project, dimension, name, id, step, created_at: asked_at } = erasure;
  if (step === 0 && (await eraseFromFrozenDays({ store, control, lease }, project, { dimension, name }))) return;
  if (step === 1 && (await eraseFromPinnedDays({ store, control, lease }, project, { id, dimension, name }))) return;
  const next = statements(dimension, await readGenerations(control, project))[step];
  // The log has the request: an entry for each fact that goes would name the customer again.
  if (!next) return await unrecorded(async () => await finish(control, erasure, clock()));
  if (step === deletesEvents && (await leavesCalls(store, erasure)))
    await rebuildAfterErasure(control, project, clock());
  // Rollups hold the name too: before calls are deleted, answers switch to reading the calls.
  await touchAllDays(control, project, clock());
  const name_in_json = JSON.stringify(name).slice(1, -1);
  const common = { project, name, name_in_json, erasure: id, left: leftOf(id), asked_at };
  // The statements of a step don't depend on each other.
  await Promise.all(next.map((statement) => runStatement(store, statement, common)));
  if (step === 0) await noteOtherReports({ store, control }, erasure);
  await changeRows(control, 'erasures', { id }, { step: step + 1 });
}

/**
 * Whether all events received before the erasure was requested are assembled. An erasure of a project that is assembled
 * apart need not wait: nothing of it is assembled until the erasure has finished (calls/assembly/apart.ts).
 */
async function isAssembled(store: AnalyticStore, control: ControlStore, erasure: ErasureRow): Promise<boolean> {
  if ((await listApart(control)).includes(erasure.project_id)) return true;
  const writers = await control.selectFrom('writers').select(['id', 'assembled_seq']).execute();
  const rows = await store.select(
    `SELECT 1 FROM events
      WHERE project = {project:String} AND ${cameBefore}
        AND seq > transform(toString(writer), {writers:Array(String)}, {seqs:Array(UInt64)}, toUInt64(18446744073709551615))
      LIMIT 1`,
    {
      project: erasure.project_id,
      asked_at: erasure.created_at,
      writers: writers.map(({ id }) => id),
      seqs: writers.map(({ assembled_seq }) => assembled_seq),
    },
  );
  return rows.length === 0;
}

/** The last step: deletes tags, revenue and firings, and removes the name from the erasure and comparisons of rebuilds. */
async function finish(control: ControlStore, erasure: ErasureRow, now: number): Promise<void> {
  const { project_id: projectId, dimension, name } = erasure;
  const since = await eraseFromAudit(control, projectId, name);
  await control.transaction().execute(async (transaction) => {
    await deleteRows(transaction, 'dimension_tags', { project_id: projectId, dimension, name });
    if (dimension === 'customer') {
      await eraseStripeObjects(transaction, projectId, { name, until: erasure.created_at });
      await transaction
        .deleteFrom('revenue_entries')
        .where('project_id', '=', projectId)
        .where('customer', '=', name)
        .where('updated_at', '<=', erasure.created_at)
        .execute();
      await forgetCustomer(transaction, projectId, name);
      await eraseFromSaved(transaction, projectId, name);
    }
    await eraseFromNames(transaction, projectId, { dimension, name });
    await eraseFirings(transaction, projectId, { dimension, name });
    await eraseFromClosedFacts(transaction, projectId, { dimension, name });
    await eraseFromLatest(transaction, { projectId, name, since });
    await noteMoves(transaction, projectId);
    await changeRows(transaction, 'erasures', { id: erasure.id }, { name: '', finished_at: now });
  });
}
