import type { Reading } from '../../accounts/key-metrics/readings.ts';
import { addDays, type Day, dayOf, startOfDay, toDay } from '../../lib/days.ts';
import type { ReadingSources } from '../../rollups/retention/freezer.ts';
import { readingColumns } from '../../rollups/retention/frozen-readings.ts';
import { sealOf } from '../../rollups/rollups/seal-numbers.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { ProjectRow } from '../../storage/control/schema/schema.ts';

interface DraftSources {
  readonly store: AnalyticStore;
  readonly sumReadings: ReadingSources['sumReadings'];
}

interface DraftOf {
  /** Identifies the data from which the readings are computed. A draft with another identity cannot be used. */
  readonly identity: string;
  readonly version: number;
  readonly project: Pick<ProjectRow, 'id' | 'timezone' | 'frozen_before'>;
  readonly readings: readonly Reading[];
}

/** The readings of custom events that a close stores, written month by month (D19.1). */
export class ReadingsDraft {
  readonly #sources: DraftSources;
  readonly #of: DraftOf;
  readonly #through: Day;
  readonly #daysRead = new Set<Day>();
  /** The next day to read; undefined when none is left. */
  #next: Day | undefined;

  private constructor(sources: DraftSources, of: DraftOf, through: Day, first: Day | undefined) {
    this.#sources = sources;
    this.#of = of;
    this.#through = through;
    this.#next = first;
  }

  /** Begins with the first day of an event that a reading needs, and writes nothing yet. */
  static async begin(sources: DraftSources, of: DraftOf, through: Day): Promise<ReadingsDraft> {
    return new ReadingsDraft(sources, of, through, await findFirst(sources, of, through));
  }

  get identity(): string {
    return this.#of.identity;
  }

  get version(): number {
    return this.#of.version;
  }

  get isDone(): boolean {
    return this.#next === undefined;
  }

  /** The days that have a reading, once it is done. */
  get daysRead(): ReadonlySet<Day> {
    return this.#daysRead;
  }

  async addMonth(): Promise<void> {
    const { version, project, readings } = this.#of;
    const { store, sumReadings } = this.#sources;
    const first = this.#next;
    if (first === undefined) return;
    const nextMonth = `${addDays(`${first.slice(0, 7)}-01`, 32).slice(0, 7)}-01`;
    const isLast = nextMonth > this.#through;
    const last = isLast ? this.#through : addDays(nextMonth, -1);
    const query = {
      projectId: project.id,
      timezone: project.timezone,
      days: { dateFrom: first, dateTo: last },
      readings,
      upTo: { sql: '1', parameters: {} },
    };
    for await (const kept of sumReadings(query)) {
      if (kept.length === 0) continue;
      const rows = kept.map((reading) => {
        const day = toDay(reading.dayNumber);
        this.#daysRead.add(day);
        return { ...reading, projectId: project.id, day, seal: sealOf(version, day) };
      });
      await store.insertRows('frozen_readings', readingColumns, rows);
    }
    this.#next = isLast ? undefined : nextMonth;
  }
}

/** The first day up to `through` that is not frozen and has an event of a reading. */
async function findFirst(
  { store }: DraftSources,
  { project, readings }: DraftOf,
  through: Day,
): Promise<Day | undefined> {
  if (readings.length === 0) return undefined;
  const { id, timezone, frozen_before: from } = project;
  const [found] = await store.select<{ events: string; first: string }>(
    `SELECT count() AS events, toUnixTimestamp64Milli(min(event_time)) AS first FROM events
      WHERE project = {project:String} AND phase = 'custom'
        AND event_type IN (SELECT arrayJoin({event_types:Array(String)}))
        AND event_time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
        AND event_time < fromUnixTimestamp64Milli({before:Int64}, 'UTC')`,
    {
      project: id,
      event_types: readings.map(({ eventType }) => eventType),
      from: from === null ? 0 : startOfDay(timezone, from),
      before: startOfDay(timezone, addDays(through, 1)),
    },
  );
  return found && Number(found.events) > 0 ? dayOf(timezone, Number(found.first)) : undefined;
}
