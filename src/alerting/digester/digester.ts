import { hash } from 'node:crypto';
import type { Project, Projects } from '../../accounts/projects.ts';
import type { Logger } from '../../lib/logger.ts';
import type { BackgroundJob } from '../../storage/background-job.ts';
import type { ControlSources } from '../../storage/control/control-store.ts';
import type { Lease } from '../../storage/control/lease.ts';
import { toDocument } from '../digests/document.ts';
import { type DigestInterval, type DigestRanges, findLastDigest } from '../digests/schedule.ts';
import type { Digest } from '../digests/wire.ts';
import { planOf } from '../notifications/endpoints.ts';
import { enqueueDigest } from '../notifications/enqueue.ts';

export interface DigesterOptions extends ControlSources {
  readonly projects: Pick<Projects, 'find'>;
  readonly logger: Logger;
  readonly lease: Lease;
  /** How often to look whether a digest is due, in milliseconds. */
  readonly everyMs?: number;
  readonly readDigest: (project: Project, every: DigestInterval, ranges: DigestRanges) => Promise<Digest>;
}

const usualEveryMs = 15_000;
/** When a digest that could not be made is tried again, in milliseconds. */
const retryMs = 60_000;

/** The endpoints that get one digest. */
interface Due {
  readonly project: Project;
  readonly every: DigestInterval;
  readonly ranges: DigestRanges;
  readonly endpoints: readonly { readonly id: string; readonly until: string }[];
}

/**
 * The background job of digests. It reads beside assembly, and stores what it read in a transaction that confirms
 * the lease and moves on the last day of each endpoint, so that a period has one digest even if processes are killed. If several
 * were missed, the newest is sent.
 */
export class Digester implements BackgroundJob {
  readonly name = 'digest';
  readonly restsDuringBackup = false;
  readonly #options: DigesterOptions;
  /** When to look next, by `performance.now()`. */
  #lookAt = Number.NEGATIVE_INFINITY;
  #due: Due[] = [];
  #underWay: { readonly due: Due; digest: Digest | undefined; hasEnded: boolean } | undefined;

  constructor(options: DigesterOptions) {
    this.#options = options;
  }

  async step(): Promise<boolean> {
    const underWay = this.#underWay;
    if (underWay) {
      if (!underWay.hasEnded) return false;
      this.#underWay = undefined;
      if (underWay.digest) await this.#store(underWay.due, underWay.digest);
      return this.#due.length > 0;
    }
    const next = this.#due.shift();
    if (next) {
      this.#begin(next);
      return false;
    }
    if (performance.now() < this.#lookAt) return false;
    this.#lookAt = performance.now() + (this.#options.everyMs ?? usualEveryMs);
    this.#due = await this.#find();
    return this.#due.length > 0;
  }

  async #find(): Promise<Due[]> {
    const { control, projects, clock } = this.#options;
    const rows = await control
      .selectFrom('notification_endpoints')
      .selectAll()
      .where('digest', 'is not', null)
      .where('enabled', '=', 1)
      .orderBy('id')
      .execute();
    const found = new Map<string, Due & { readonly endpoints: { id: string; until: string }[] }>();
    for (const row of rows) {
      const plan = planOf(row);
      const project = await projects.find(row.project_id);
      if (!project || !plan || row.digest_until === null) continue;
      const ranges = findLastDigest(plan, project.timezone, clock());
      if (ranges.now.dateTo <= row.digest_until) continue;
      const key = JSON.stringify([project.id, plan.every, ranges.now.dateFrom]);
      const due = found.get(key) ?? { project, every: plan.every, ranges, endpoints: [] };
      due.endpoints.push({ id: row.id, until: row.digest_until });
      found.set(key, due);
    }
    return [...found.values()];
  }

  #begin(due: Due): void {
    const { readDigest, logger } = this.#options;
    const underWay = { due, digest: undefined as Digest | undefined, hasEnded: false };
    this.#underWay = underWay;
    void (async () => {
      try {
        underWay.digest = await readDigest(due.project, due.every, due.ranges);
      } catch (error) {
        logger.warn({ err: error, project: due.project.id }, 'a digest could not be made; it will be tried again');
        this.#lookAt = performance.now() + retryMs;
      }
      underWay.hasEnded = true;
    })();
  }

  async #store({ project, every, ranges, endpoints }: Due, digest: Digest): Promise<void> {
    const { control, lease, clock } = this.#options;
    const { title, path } = toDocument(digest, project.name);
    const isWorthReading = digest.calls.now > 0 || digest.calls.before > 0 || (digest.revenue?.now ?? 0) !== 0;
    await control.transaction().execute(async (transaction) => {
      await lease.confirm(transaction);
      for (const { id, until } of endpoints) {
        const content = {
          id: `dig_${hash('sha256', JSON.stringify([project.id, every, ranges.now.dateFrom])).slice(0, 26)}`,
          ...{ projectId: project.id, projectName: project.name },
          ...{ kind: 'digest' as const, event: 'digest' as const, at: clock(), title, text: '', path, data: digest },
        };
        await enqueueDigest(
          transaction,
          { endpointId: id, until, lastDay: ranges.now.dateTo },
          isWorthReading ? content : undefined,
        );
      }
    });
  }
}
