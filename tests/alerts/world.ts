// A project that is looked at for alerts, on real stores, with a clock that tests move.
import { z } from 'zod';
import type { Project } from '../../src/accounts/projects.ts';
import { Alerter, type AlerterOptions } from '../../src/alerting/alerts/alerter.ts';
import { createFindCauses } from '../../src/alerting/alerts/find-causes.ts';
import type { AlertKind } from '../../src/alerting/kinds/kinds.ts';
import { type Content, storedContent } from '../../src/alerting/notifications/notification.ts';
import { Progress } from '../../src/calls/assembly/progress.ts';
import { newId } from '../../src/lib/ids.ts';
import { AnswerCache } from '../../src/reports/asking/answer-cache.ts';
import { CellCache } from '../../src/reports/asking/cell-cache.ts';
import { makeAssembler, type World } from '../assembly/world.ts';

const quiet = () => undefined;

/** Makes a project in a timezone, at a time that the clock then has. */
export async function makeProjectAt(world: World, now: number, timezone: string): Promise<Project> {
  world.clock.now = now;
  const fields = { name: 'Test', type: 'revenue', timezone, atRiskBelowPct: null } as const;
  return await world.projects.create(fields, world.priceBooks);
}

/** A process that looks at one project. */
export interface Looker {
  /** Takes the lease, and looks until nothing is due. */
  lookThrough(): Promise<void>;
}

/** Starts a process that looks at one project. */
export function startLooker(
  world: World,
  project: Project,
  { only, ...options }: Partial<AlerterOptions> & { readonly only?: AlertKind | readonly AlertKind[] } = {},
): Looker {
  const { store, control, lease, priceBooks } = makeAssembler(world);
  const clock = () => world.clock.now;
  const sources = {
    ...{ store, control, clock, priceBooks, progress: new Progress(clock) },
    answerCache: new AnswerCache(store),
    cellCache: new CellCache(store),
  };
  // A look that fails is logged, and repeated later: here it fails the test.
  const failures: unknown[] = [];
  const note = (failure: unknown) => void failures.push(failure);
  const findCauses = createFindCauses(sources);
  const alerter = new Alerter({
    control,
    clock,
    lease,
    logger: { debug: quiet, info: quiet, warn: note, error: note },
    projects: { list: async () => [project] },
    findCauses: async (look) => (only?.includes(look.watch.kind) === false ? [] : await findCauses(look)),
    everyMs: 30_000,
    ...options,
  });
  return {
    lookThrough: async () => {
      await lease.renew();
      if (!lease.isHeld && !(await lease.acquire())) throw new Error('another process holds the lease');
      while (await alerter.step()) {
        // Until nothing is due.
      }
      if (failures.length > 0) throw new Error('a look has failed', { cause: failures[0] });
    },
  };
}

/** An endpoint of the project that takes every alert. Nothing is sent to it. */
export async function addEndpoint({ control, clock }: World, project: Project): Promise<string> {
  const id = newId('nep');
  const row = {
    ...{ id, project_id: project.id, kind: 'webhook' as const, target: 'https://example.com/', alerts: null },
    ...{ secret: null, old_secret: null, old_secret_until: null, enabled: 1, disabled_reason: null },
    ...{ created_at: clock.now, updated_at: clock.now },
  };
  await control.insertInto('notification_endpoints').values(row).execute();
  return id;
}

/** The notifications of a kind that are to be sent to an endpoint. */
export async function readMessages({ control }: World, endpoint: string, kind: AlertKind): Promise<Content[]> {
  const rows = await control
    .selectFrom('notification_deliveries')
    .select('content')
    .where('endpoint_id', '=', endpoint)
    .where('kind', '=', kind)
    .execute();
  return rows.map(({ content }) => storedContent.parse(JSON.parse(content ?? '')));
}

const details = z.object({ id: z.string(), others: z.array(z.object({ id: z.string() })) });

/** Each firing that they tell of, with what has happened to it. */
export async function readDeliveries(world: World, endpoint: string, kind: AlertKind): Promise<string[]> {
  return (await readMessages(world, endpoint, kind)).flatMap(({ data, event }) => {
    const { id, others } = details.parse(data);
    return [id, ...others.map((other) => other.id)].map((firing) => `${firing}.${event}`);
  });
}
