import { LRUCache } from 'lru-cache';
import type { Project } from '../../../accounts/projects.ts';
import { dayMs } from '../../../lib/days.ts';
import type { AnalyticStore } from '../../../storage/analytic/analytic-store.ts';
import { type Arrivals, dropShortSilences, type Stretch, usualSilenceMs } from './rule.ts';

const weekMs = 7 * dayMs;

/** The most projects whose arrivals are kept in memory, each in about a kilobyte. */
const maxProjects = 20_000;

const time = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;

/**
 * When the events of projects arrived, in stretches of five minutes. A look reads only what arrived since the look
 * before it. The first look reads week by week, so that no statement takes long.
 */
export class ArrivalReader {
  readonly #store: Pick<AnalyticStore, 'select'>;
  readonly #known = new LRUCache<string, Stretch[]>({ max: maxProjects });

  constructor(store: Pick<AnalyticStore, 'select'>) {
    this.#store = store;
  }

  async read({ id: projectId, createdAt }: Pick<Project, 'id' | 'createdAt'>, nowMs: number): Promise<Arrivals> {
    const known = this.#known.get(projectId);
    const stretches = known?.at(-1)
      ? await this.#readNewer(projectId, known, nowMs)
      : await this.#readAll(projectId, { createdAt, nowMs });
    const last = stretches.at(-1)?.lastMs ?? 0;
    const kept = dropShortSilences(stretches.filter(({ lastMs }) => lastMs >= last - usualSilenceMs));
    this.#known.set(projectId, kept);
    return { stretches: kept, nowMs };
  }

  async #readNewer(projectId: string, known: readonly Stretch[], nowMs: number): Promise<Stretch[]> {
    const { firstMs, lastMs } = known.at(-1) ?? { firstMs: 0, lastMs: 0 };
    // The clock may have been set back.
    return [...known.slice(0, -1), ...(await this.#readByWeek(projectId, firstMs, Math.max(nowMs, lastMs)))];
  }

  async #readAll(projectId: string, { createdAt, nowMs }: { createdAt: number; nowMs: number }): Promise<Stretch[]> {
    const recentFrom = nowMs - usualSilenceMs;
    // No event is older than its project, unless the clock was set back.
    const recent = await this.#readByWeek(projectId, Math.max(recentFrom, createdAt - dayMs), nowMs);
    if (createdAt > recentFrom) return recent;
    const last = recent.at(-1)?.lastMs ?? (await this.#readLast(projectId));
    if (last === undefined) return [];
    return [...(await this.#readByWeek(projectId, last - usualSilenceMs, recentFrom - 1)), ...recent];
  }

  /** The stretches of a span, both ends inclusive. */
  async #readByWeek(projectId: string, fromMs: number, toMs: number): Promise<Stretch[]> {
    const stretches: Stretch[] = [];
    for (let at = fromMs; at <= toMs; at += weekMs) {
      const rows = await this.#store.select<{ first_ms: string; last_ms: string }>(
        `SELECT toUnixTimestamp64Milli(min(received_at)) AS first_ms, toUnixTimestamp64Milli(max(received_at)) AS last_ms
          FROM events
          WHERE project = {project:String} AND received_at >= ${time('from')} AND received_at < ${time('to')}
          GROUP BY toStartOfFiveMinutes(received_at)
          ORDER BY first_ms`,
        { project: projectId, from: at, to: Math.min(at + weekMs, toMs + 1) },
      );
      stretches.push(...rows.map((row) => ({ firstMs: Number(row.first_ms), lastMs: Number(row.last_ms) })));
    }
    return stretches;
  }

  /** When the last event of a project arrived; undefined for a project without events. */
  async #readLast(projectId: string): Promise<number | undefined> {
    const [row] = await this.#store.select<{ last_ms: string }>(
      `SELECT toUnixTimestamp64Milli(max(received_at)) AS last_ms FROM events WHERE project = {project:String}
        HAVING count() > 0`,
      { project: projectId },
    );
    return row && Number(row.last_ms);
  }
}
