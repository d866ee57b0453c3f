import type { Day } from '../../lib/days.ts';
import { type CopySources, copyPinned, type DayOfGeneration } from './copies.ts';

/**
 * Protects closes from rows that are about to be written to closed days: copies the calls of these days first, and
 * moves the pins to the copies (docs/decisions/0020). Skips days that no close pins in that generation.
 * @throws LeaseLost
 */
export async function keepClosed(sources: CopySources, rows: readonly DayOfGeneration[]): Promise<void> {
  for (const [projectId, ofProject] of Map.groupBy(rows, (row) => row.projectId)) {
    const written = new Set(ofProject.map(keyOf));
    const days = [...new Set(ofProject.map(({ day }) => day))];
    const pins = await readPins(sources, projectId, days);
    const touched = new Map(pins.filter((pin) => written.has(keyOf(pin))).map((pin) => [keyOf(pin), pin]));
    // One copy per month, because a month is a partition.
    for (const ofMonth of Map.groupBy(touched.values(), ({ day }) => day.slice(0, 7)).values()) {
      await copyPinned(sources, ofMonth);
    }
  }
}

const keyOf = ({ day, generation }: Pick<DayOfGeneration, 'day' | 'generation'>): string => `${day} ${generation}`;

/** Days per statement: SQLite takes at most 32,766 values. */
const chunkDays = 4_000;

async function readPins(
  { control }: Pick<CopySources, 'control'>,
  projectId: string,
  days: readonly Day[],
): Promise<DayOfGeneration[]> {
  const pins: DayOfGeneration[] = [];
  for (let at = 0; at < days.length; at += chunkDays) {
    const rows = await control
      .selectFrom('close_days')
      .select(['day', 'generation'])
      .where('project_id', '=', projectId)
      .where('day', 'in', days.slice(at, at + chunkDays))
      .execute();
    pins.push(...rows.map(({ day, generation }) => ({ projectId, day, generation })));
  }
  return pins;
}
