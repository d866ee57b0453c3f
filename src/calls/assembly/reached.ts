import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import { listApart } from './left-out.ts';
import type { Progress } from './progress.ts';
import { type SliceRow, selectSlice } from './slice-sql.ts';
import { lastStored, type Watermark } from './watermarks.ts';

export interface ReachedSources {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
  readonly progress: Progress;
  readonly writer: string;
}

/** Tells the progress of this process how far all events are assembled, whoever assembles them. */
export class Reached {
  readonly #sources: ReachedSources;
  /** The last sequence of each other writer with unassembled events, as the log was when this process started. */
  #left: ReadonlyMap<string, number> | undefined;

  constructor(sources: ReachedSources) {
    this.#sources = sources;
  }

  /** Records what of this process's events is assembled, and of those that it found in the log at its start. */
  async note(watermarks: readonly Watermark[]): Promise<void> {
    const { writer, progress } = this.#sources;
    const own = watermarks.find((watermark) => watermark.writer === writer);
    // After the watermarks were read and before they count: they have passed events of the projects that are apart.
    await this.noteApart();
    if (own) progress.noteAssembled(own.seq);
    if (progress.hasCaughtUp) return;
    this.#left ??= await this.#readLeft(watermarks.filter((watermark) => watermark !== own));
    const isLeft = watermarks.some((watermark) => watermark.seq < (this.#left?.get(watermark.writer) ?? 0));
    if (!isLeft) progress.noteCaughtUp();
  }

  /** Records which projects are assembled apart. */
  async noteApart(): Promise<void> {
    const { control, progress } = this.#sources;
    progress.noteApart(await listApart(control));
  }

  async #readLeft(watermarks: readonly Watermark[]): Promise<Map<string, number>> {
    if (watermarks.length === 0) return new Map();
    const { sql, parameters } = selectSlice(watermarks.map((from) => ({ from, toSeq: lastStored(from) })));
    const rows = await this.#sources.store.select<SliceRow>(sql, parameters);
    return new Map(rows.map((row) => [row.writer, Number(row.last_seq)]));
  }
}
