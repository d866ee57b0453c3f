import { z } from 'zod';
import { askForCleanUp } from '../../calls/pins/pinned-calls.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Day, dayOf } from '../../lib/days.ts';
import { openCursor } from '../../lib/http/cursor.ts';
import { cutPage } from '../../lib/http/page-envelope.ts';
import { newId } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import {
  type ControlQueries,
  type ControlStore,
  changeRows,
  findRow,
  lockProject,
  requireRow,
} from '../../storage/control/control-store.ts';
import type { CloseRow } from '../../storage/control/schema/close-rows.ts';
import { unpinFacts } from './pin-facts.ts';

/** A close that was made, as answers need it. */
export interface MadeClose extends CloseRow {
  readonly closed_at: number;
}

export interface Close extends MadeClose {
  /** How many days it pins. */
  readonly days: number;
}

const selectCloses = (control: ControlQueries, projectId: string) =>
  control
    .selectFrom('closes')
    .selectAll()
    .select((close) =>
      close
        .selectFrom('close_days')
        .select((day) => day.fn.countAll<number>().as('days'))
        .whereRef('close_days.close_id', '=', 'closes.id')
        .as('days'),
    )
    .where('project_id', '=', projectId)
    .where('closed_at', 'is not', null);

const toClose = ({ closed_at, days, ...row }: CloseRow & { days: number | null }): Close => ({
  ...row,
  closed_at: closed_at ?? 0,
  days: Number(days ?? 0),
});

/** A close of a project; undefined if there is none, or if it is still being made. */
export async function findClose(control: ControlQueries, projectId: string, id: string): Promise<Close | undefined> {
  const row = await selectCloses(control, projectId).where('id', '=', id).executeTakeFirst();
  return row && toClose(row);
}

/** As `findClose`, but without the number of days, which answers as of a close do not need. */
export async function findMadeClose(
  control: ControlQueries,
  projectId: string,
  id: string,
): Promise<MadeClose | undefined> {
  const row = await findRow(control, 'closes', { id, project_id: projectId });
  return row && row.closed_at !== null ? { ...row, closed_at: row.closed_at } : undefined;
}

/** How often the pins of a close have moved; undefined when it was deleted. */
export async function readMoves(control: ControlQueries, id: string): Promise<number | undefined> {
  return (await control.selectFrom('closes').select('moves').where('id', '=', id).executeTakeFirst())?.moves;
}

/** The position of a cursor in the list of closes: the last day of one. */
const closePosition = z.tuple([z.string().regex(/^\d{4}-\d{2}-\d{2}$/)]);

/** A page of a project's closes, newest first, and the end of the page. @throws Problem `invalid_cursor` */
export async function listCloses(
  control: ControlStore,
  { projectId, limit, cursor }: { projectId: string; limit: number; cursor: string | undefined },
) {
  const question = ['closes', projectId];
  const after = cursor === undefined ? undefined : openCursor(question, cursor, closePosition)[0];
  const found = await selectCloses(control, projectId)
    .$if(after !== undefined, (query) => query.where('through', '<', after ?? ''))
    .orderBy('through', 'desc')
    .limit(limit + 1)
    .execute();
  return cutPage(question, found.map(toClose), limit, ({ through }) => [through]);
}

/**
 * Stores the request, which the holder of the lease carries out, and returns its id. @throws Problem `invalid_body` for
 * a day that cannot be closed, `conflict` while another close or a rebuild is under way
 */
export async function requestClose(
  { control, clock }: { readonly control: ControlStore; readonly clock: Clock },
  projectId: string,
  { through, note }: { readonly through: Day; readonly note: string | null },
): Promise<string> {
  return await control.transaction().execute(async (transaction) => {
    await lockProject(transaction, projectId);
    const project = await requireRow(transaction, 'projects', { id: projectId });
    const today = dayOf(project.timezone, clock());
    if (through >= today) throw refuseThrough(`must be before today, ${today}: a day can be closed when it is over`);
    if (project.closed_through !== null && through <= project.closed_through) {
      throw refuseThrough(`must be after ${project.closed_through}, the last day of the latest close`);
    }
    const waiting = await findRow(transaction, 'closes', { project_id: projectId, closed_at: null });
    if (waiting)
      throw new Problem('conflict', `The days up to ${waiting.through} are being closed: try again after that.`);
    const rebuild = await transaction
      .selectFrom('rebuilds')
      .select('kind')
      .where('project_id', '=', projectId)
      .where('state', 'in', ['queued', 'running'])
      .where('dry_run', '=', 0)
      .limit(1)
      .executeTakeFirst();
    if (rebuild) {
      throw new Problem(
        'conflict',
        `A ${nameOf(rebuild.kind)} is under way, which may change these days: close them after that.`,
      );
    }
    const id = newId('cls');
    const row: CloseRow = {
      id,
      project_id: projectId,
      through,
      note,
      requested_at: clock(),
      closed_at: null,
      timezone: project.timezone,
      base_generation: project.base_generation,
      frozen_before: project.frozen_before,
      readings_version: 0,
      moves: 0,
    };
    await transaction.insertInto('closes').values(row).execute();
    return id;
  });
}

const nameOf = (kind: string): string => (kind === 'timezone' ? 'change of timezone' : kind);

const refuseThrough = (message: string): Problem =>
  new Problem('invalid_body', `through ${message}.`, {
    errors: [{ pointer: '/through', code: 'out_of_range', message }],
  });

/** Deletes the latest close of a project, with all that it pins. @throws Problem `not_found`, `conflict` */
export async function deleteClose(control: ControlStore, projectId: string, id: string): Promise<void> {
  await control.transaction().execute(async (transaction) => {
    await lockProject(transaction, projectId);
    const closes = await transaction
      .selectFrom('closes')
      .select(['id', 'through'])
      .where('project_id', '=', projectId)
      .where('closed_at', 'is not', null)
      .orderBy('through', 'desc')
      .execute();
    const at = closes.findIndex((close) => close.id === id);
    const [latest, before] = closes;
    if (at === -1 || !latest) throw new Problem('not_found', 'This project has no close with this id.');
    if (at > 0) {
      throw new Problem('conflict', `Only the latest close can be deleted: ${latest.id}, through ${latest.through}.`);
    }
    await unpinFacts(transaction, id);
    await transaction.deleteFrom('close_days').where('close_id', '=', id).execute();
    await transaction.deleteFrom('closes').where('id', '=', id).execute();
    await changeRows(transaction, 'projects', { id: projectId }, { closed_through: before?.through ?? null });
    await askForCleanUp(transaction, projectId);
  });
}
