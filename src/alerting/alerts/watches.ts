import type { Project } from '../../accounts/projects.ts';
import { unrecorded } from '../../lib/actor.ts';
import { chunksOf } from '../../lib/chunks.ts';
import { type Day, dayOf } from '../../lib/days.ts';
import { parseJson } from '../../lib/json.ts';
import {
  type ControlQueries,
  type ControlSources,
  type ControlStore,
  changeRows,
  deleteRows,
  lockProject,
  putRows,
  withProjectLock,
} from '../../storage/control/control-store.ts';
import type { AlertWatchRow } from '../../storage/control/schema/alert-rows.ts';
import { type AlertKind, alertKinds, type Kinds } from '../kinds/kinds.ts';
import type { SettingsOf } from '../rule/kind.ts';
import type { Watched } from '../rule/look.ts';
import { resolveSettings } from './settings.ts';

export interface Watch extends Watched {
  readonly kind: AlertKind;
  readonly isEnabled: boolean;
  /** As they are stored: `resolveSettings` adds the defaults. */
  readonly settings: unknown;
  readonly changedAt: number;
}

/** From this age on at its first look, in milliseconds, a project's existing causes are noted and do not fire. */
const newForMs = 3_600_000;

/** How a project watches for a kind before anything is stored. */
function beginWatch(project: Project, kind: AlertKind, now: number): Watch {
  const isNew = now - project.createdAt <= newForMs;
  const since = isNew ? project.createdAt : now;
  // The first look may come on a later day. It then finds the thresholds that were passed on the first day.
  const lookedDay = isNew ? dayOf(project.timezone, since) : undefined;
  return { kind, isEnabled: true, settings: {}, since, hasBegun: isNew, changedAt: since, lookedDay };
}

/** Begins to watch projects that are not watched yet, for all kinds. */
export async function beginWatches(control: ControlStore, projects: readonly Project[], now: number): Promise<void> {
  if (projects.length === 0) return;
  const rows = await control.selectFrom('alert_watches').select('project_id').distinct().execute();
  const watched = new Set(rows.map(({ project_id: id }) => id));
  const begun = projects
    .filter(({ id }) => !watched.has(id))
    .flatMap((project) => alertKinds.map((kind) => toRow(project.id, beginWatch(project, kind, now))));
  for (const chunk of chunksOf(begun, chunkRows)) {
    // Every project has all of them, with the defaults: storing that changes nothing.
    await unrecorded(
      async () =>
        await control
          .insertInto('alert_watches')
          .values(chunk)
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
    );
  }
}

/** Rows per statement: SQLite takes at most 32,766 values. */
const chunkRows = 3_500;

/** The watches of a project by kind, in the order of the kinds. */
export async function readWatches(control: ControlQueries, project: Project, now: number): Promise<Watch[]> {
  const rows = await control.selectFrom('alert_watches').selectAll().where('project_id', '=', project.id).execute();
  const stored = new Map(rows.map((row) => [row.kind, row]));
  return alertKinds.map((kind) => {
    const row = stored.get(kind);
    return row ? toWatch(kind, row) : beginWatch(project, kind, now);
  });
}

const toWatch = (kind: AlertKind, row: AlertWatchRow): Watch => ({
  kind,
  isEnabled: row.enabled === 1,
  settings: parseJson(row.settings),
  since: row.since,
  hasBegun: row.begun === 1,
  changedAt: row.changed_at,
  lookedDay: row.looked_day ?? undefined,
});

export interface WatchChange<K extends AlertKind> {
  readonly isEnabled: boolean | undefined;
  /** The settings to change; all others stay. */
  readonly settings: Partial<SettingsOf<Kinds[K]>>;
}

/**
 * Changes how a project watches for a kind. Causes that exist when a kind is turned on again do not fire. When it is
 * turned off, its open firings end, and nothing is sent.
 */
export async function changeWatch<K extends AlertKind>(
  { control, clock }: ControlSources,
  project: Project,
  kind: K,
  { isEnabled, settings }: WatchChange<K>,
): Promise<void> {
  await withProjectLock(control, project.id, async (transaction) => {
    const now = clock();
    const before = (await readWatches(transaction, project, now)).find((watch) => watch.kind === kind);
    const watch = before ?? beginWatch(project, kind, now);
    const isOn = isEnabled ?? watch.isEnabled;
    const isTurnedOn = isOn && !watch.isEnabled;
    await storeWatch(transaction, project.id, {
      ...watch,
      isEnabled: isOn,
      settings: { ...resolveSettings(kind, watch.settings), ...settings },
      ...(isTurnedOn && { since: now, hasBegun: false, lookedDay: undefined }),
      changedAt: now,
    });
    if (watch.isEnabled && !isOn) await endAll(transaction, project.id, kind, now);
  });
}

const toRow = (projectId: string, watch: Watch): AlertWatchRow => ({
  project_id: projectId,
  kind: watch.kind,
  enabled: watch.isEnabled ? 1 : 0,
  settings: JSON.stringify(watch.settings),
  since: watch.since,
  begun: watch.hasBegun ? 1 : 0,
  changed_at: watch.changedAt,
  looked_day: watch.lookedDay ?? null,
});

const storeWatch = (transaction: ControlQueries, projectId: string, watch: Watch): Promise<void> =>
  putRows(transaction, 'alert_watches', ['project_id', 'kind'], [toRow(projectId, watch)]);

async function endAll(transaction: ControlQueries, projectId: string, kind: AlertKind, now: number): Promise<void> {
  await deleteRows(transaction, 'firings', { project_id: projectId, kind, ended_at: null, is_quiet: 1 });
  await changeRows(transaction, 'firings', { project_id: projectId, kind, ended_at: null }, { ended_at: now });
}

/**
 * Whether a kind is still watched as it was when a look began. If not, the findings of the look may be wrong, or name
 * somebody who was erased meanwhile. With `hasFinished`, notes that all findings are stored.
 */
export async function confirmWatch(
  transaction: ControlQueries,
  project: Project,
  look: { readonly watch: Watch; readonly today: Day; readonly now: number; readonly hasFinished: boolean },
): Promise<boolean> {
  const { watch, today, hasFinished } = look;
  await lockProject(transaction, project.id);
  const current = (await readWatches(transaction, project, look.now)).find(({ kind }) => kind === watch.kind);
  if (!current?.isEnabled || current.since !== watch.since || current.changedAt !== watch.changedAt) return false;
  const erasure = await transaction
    .selectFrom('erasures')
    .select('id')
    .where('project_id', '=', project.id)
    .where('finished_at', '>=', look.now)
    .limit(1)
    .executeTakeFirst();
  if (erasure) return false;
  const isNoted = current.hasBegun && current.lookedDay === today;
  if (hasFinished && !isNoted)
    await storeWatch(transaction, project.id, { ...current, hasBegun: true, lookedDay: today });
  return true;
}
