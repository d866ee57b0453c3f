import { z } from 'zod';
import type { Lease } from '../calls/assembly/lease.ts';
import type { BackgroundJob } from '../calls/background-job.ts';
import { type Generations, readGenerations } from '../calls/generations.ts';
import { inForce } from '../calls/in-force.ts';
import { forgetCustomer, readRunningRebuild } from '../calls/rebuild/rebuilds.ts';
import { eraseFromFrozenDays } from '../calls/retention/erase-frozen.ts';
import { touchAllDays } from '../calls/rollups/days.ts';
import type { AnalyticStore } from '../clickhouse/analytic-store.ts';
import type { Clause } from '../clickhouse/clause.ts';
import { projectTables } from '../clickhouse/project-tables.ts';
import type { ControlStore } from '../control/control-store.ts';
import type { ErasureRow } from '../control/schema.ts';
import { openCursor } from '../http/cursor.ts';
import { cutPage } from '../http/page-envelope.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { TaggedDimension } from './tag-store.ts';

export interface ErasureSources {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
  readonly clock: Clock;
  readonly lease: Lease;
}

/** The job that carries erasures out. */
export class Eraser implements BackgroundJob {
  readonly name = 'erasure';
  readonly restsDuringBackup = true;
  readonly #sources: ErasureSources;

  constructor(sources: ErasureSources) {
    this.#sources = sources;
  }

  async step(): Promise<boolean> {
    return await carryOnErasures(this.#sources);
  }
}

/** Enters an erasure, which the holder of the lease carries out. */
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

/** A page of a project's erasures, newest first, and how it ends. @throws Problem `invalid_cursor` */
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
  return cutPage(question, found, limit, ({ id }) => [id]);
}

/** How long after it was asked for an erasure begins, in milliseconds: events on their way in have arrived by then. */
const graceMs = 2_000;

const columns = { customer: 'customer', user: 'user' } as const satisfies Record<TaggedDimension, string>;

/** Those that had come in when the erasure was asked for. */
const cameBefore = "received_at <= fromUnixTimestamp64Milli({asked_at:Int64}, 'UTC')";

/**
 * The statements of an erasure, in the steps in which they are carried out; each can be repeated. What goes are the calls of the customer or user, all events
 * of these calls, and events that name it themselves, such as custom ones. Their ids are noted first: a call's older rows,
 * which name nobody or somebody else, must go with it, and are told by nothing but its id. An event whose id is not noted
 * goes only if it came before: the call of a later one stays, and is nothing without its events.
 */
const statements = (dimension: TaggedDimension, generations: Generations): Clause[][] => {
  const column = columns[dimension];
  const current = inForce(generations);
  const parameters = current.parameters;
  const isNoted =
    'event_id IN (SELECT event_id FROM erased_ids WHERE project = {project:String} AND erasure = {erasure:String})';
  const deleteFrom = (table: string, where: string): Clause => ({
    sql: `ALTER TABLE ${table} DELETE WHERE project = {project:String} AND (${where})`,
    parameters: {},
  });
  return [
    [
      {
        sql: `INSERT INTO erased_ids SELECT DISTINCT project, {erasure:String}, event_id FROM (
          SELECT project, event_id FROM calls FINAL WHERE project = {project:String} AND ${column} = {name:String} AND ${current.sql}
          UNION ALL
          SELECT project, event_id FROM events WHERE project = {project:String} AND ${column} = {name:String} AND phase != 'custom'
            AND event_id NOT IN (SELECT event_id FROM calls FINAL WHERE project = {project:String} AND ${current.sql})
        )`,
        parameters,
      },
    ],
    [deleteFrom('calls', isNoted)],
    [deleteFrom('events', `${isNoted} OR (${column} = {name:String} AND ${cameBefore})`)],
    [deleteFrom('event_ids', isNoted)],
    [deleteFrom('erased_ids', 'erasure = {erasure:String}'), ...deleteNames(dimension, deleteFrom)],
  ];
};

/** What is rolled up and noted by the name: days that are not frozen are read from the calls until the erasure is through. */
function deleteNames(dimension: TaggedDimension, deleteFrom: (table: string, where: string) => Clause): Clause[] {
  const isNamed = `${columns[dimension]} = {name:String}`;
  if (dimension === 'user') return ['cells', 'frozen_readings'].map((table) => deleteFrom(table, isNamed));
  return [
    ...['cells', 'customer_cells', 'frozen_pieces'].map((table) => deleteFrom(table, isNamed)),
    // A run stays known, so that it is still one where it has other days.
    {
      sql: `ALTER TABLE runs UPDATE first_customer = if(first_customer = {name:String}, '', first_customer),
          last_customer = if(last_customer = {name:String}, '', last_customer)
        WHERE project = {project:String} AND (first_customer = {name:String} OR last_customer = {name:String})`,
      parameters: {},
    },
  ];
}

/** The most erasures that are carried on at once, and for how long, in milliseconds: assembly waits for it. */
const maxAtOnce = 50;
const maxStepMs = 500;

/** Carries erasures on, each by a step; true when there may be more to do at once. It can be stopped anywhere. */
export async function carryOnErasures({ store, control, clock, lease }: ErasureSources): Promise<boolean> {
  const waiting = await control
    .selectFrom('erasures')
    .selectAll()
    .where('finished_at', 'is', null)
    .where('created_at', '<', clock() - graceMs)
    .orderBy('id')
    .limit(maxAtOnce)
    .execute();
  // The engine deletes in the background, also after a restart; each deletion needs what the ones before have left.
  if (waiting.length === 0 || (await store.isDeleting(projectTables))) return false;
  let isFurther = false;
  const since = clock();
  for (const erasure of waiting) {
    if (isFurther && clock() - since > maxStepMs) break;
    // A rebuild under way could bring back what it has read already; none begins until the erasure is through.
    if (await readRunningRebuild(control, erasure.project_id)) continue;
    if (!(await isAssembled(store, control, erasure))) continue;
    await takeStep(erasure, { store, control, clock, lease });
    isFurther = true;
  }
  return isFurther;
}

async function takeStep(erasure: ErasureRow, { store, control, clock, lease }: ErasureSources): Promise<void> {
  const { project_id: project, dimension, name, id, step, created_at: asked_at } = erasure;
  if (step === 0 && (await eraseFromFrozenDays({ store, control, lease }, project, { dimension, name }))) return;
  const next = statements(dimension, await readGenerations(control, project))[step];
  if (!next) return await finish(control, erasure, clock());
  // What is rolled up holds the name too: from before the calls go, answers read the calls.
  await touchAllDays(control, project, clock());
  for (const { sql, parameters } of next) {
    await store.command(sql, { ...parameters, project, name, erasure: id, asked_at });
  }
  await control
    .updateTable('erasures')
    .set({ step: step + 1 })
    .where('id', '=', id)
    .execute();
}

/** Whether all events that had come in when the erasure was asked for are in the calls. */
async function isAssembled(store: AnalyticStore, control: ControlStore, erasure: ErasureRow): Promise<boolean> {
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

/** Tags and revenue go with the last step, and so does the name, also from what rebuilds have reported. */
async function finish(control: ControlStore, erasure: ErasureRow, now: number): Promise<void> {
  const { project_id: projectId, dimension, name } = erasure;
  await control.transaction().execute(async (transaction) => {
    await transaction
      .deleteFrom('dimension_tags')
      .where('project_id', '=', projectId)
      .where('dimension', '=', dimension)
      .where('name', '=', name)
      .execute();
    if (dimension === 'customer') {
      await transaction
        .deleteFrom('revenue_entries')
        .where('project_id', '=', projectId)
        .where('customer', '=', name)
        .where('updated_at', '<=', erasure.created_at)
        .execute();
      await forgetCustomer(transaction, projectId, name);
    }
    await transaction
      .updateTable('erasures')
      .set({ name: '', finished_at: now })
      .where('id', '=', erasure.id)
      .execute();
  });
}
