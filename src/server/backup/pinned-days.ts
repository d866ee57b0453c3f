import { noGeneration } from '../../calls/generations.ts';
import { toDayNumber } from '../../lib/days.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';

/** A day whose calls a close pins. Frozen days have only rollups, so they are not among these. */
export interface PinnedDay {
  readonly close: string;
  readonly project: string;
  readonly day: string;
  /** The generation that the pin named when the backup began. The backup has this one. */
  readonly generation: number;
  /** The generation that has the same calls now. Before calls change, the pin moves to a copy (docs/decisions/0020). */
  readonly now: number;
}

export const readMadeCloses = async (control: ControlQueries): Promise<string[]> =>
  (await control.selectFrom('closes').select('id').where('closed_at', 'is not', null).orderBy('id').execute()).map(
    ({ id }) => id,
  );

export async function readPinnedDays(control: ControlQueries, closes: readonly string[]): Promise<PinnedDay[]> {
  const isAsked = new Set(closes);
  const rows = await control
    .selectFrom('close_days')
    .select(['close_id', 'project_id', 'day', 'generation'])
    .where('generation', '<', noGeneration)
    .orderBy('close_id')
    .orderBy('day')
    .execute();
  return rows
    .filter(({ close_id }) => isAsked.has(close_id))
    .map(({ close_id: close, project_id: project, day, generation }) => ({
      close,
      project,
      day,
      generation,
      now: generation,
    }));
}

const keyOf = ({ close, day }: Pick<PinnedDay, 'close' | 'day'>): string => `${close} ${day}`;

/** The same days, with the generations in which their calls are now. */
export async function followPins(control: ControlQueries, pins: readonly PinnedDay[]): Promise<PinnedDay[]> {
  if (pins.length === 0) return [];
  const closes = [...new Set(pins.map(({ close }) => close))];
  const now = new Map((await readPinnedDays(control, closes)).map((pin) => [keyOf(pin), pin.generation]));
  return pins.map((pin) => ({ ...pin, now: now.get(keyOf(pin)) ?? pin.now }));
}

export function generationsInBackup(pins: readonly PinnedDay[]): (row: Readonly<Record<string, unknown>>) => unknown {
  const generations = new Map(pins.map((pin) => [keyOf(pin), pin.generation]));
  return ({ close_id: close, day, generation }) =>
    generations.get(keyOf({ close: String(close), day: String(day) })) ?? generation;
}

/** The rows of `calls` on these days. */
export const ofPinnedDays = (pins: readonly PinnedDay[]): Clause => ({
  sql: `(project, toUInt16(day), generation) IN (
    SELECT pin.1, pin.2, pin.3 FROM (SELECT arrayJoin(arrayZip({pin_projects:Array(String)}, {pin_days:Array(UInt16)},
      {pin_generations:Array(UInt64)})) AS pin))`,
  parameters: {
    pin_projects: pins.map(({ project }) => project),
    pin_days: pins.map(({ day }) => toDayNumber(day)),
    pin_generations: pins.map(({ now }) => now),
  },
});

/** The generation of these rows in the backup. */
export function generationInBackup(pins: readonly PinnedDay[]): Clause {
  const moved = pins.filter(({ generation, now }) => generation !== now);
  if (moved.length === 0) return { sql: 'generation', parameters: {} };
  return {
    sql: `transform(concat(project, ' ', toString(toUInt16(day)), ' ', toString(generation)), {moved_keys:Array(String)},
      {moved_generations:Array(UInt64)}, generation)`,
    parameters: {
      moved_keys: moved.map(({ project, day, now }) => `${project} ${toDayNumber(day)} ${now}`),
      moved_generations: moved.map(({ generation }) => generation),
    },
  };
}
