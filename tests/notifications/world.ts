// Notifications without a service: a control store, a clock that the test moves, and senders.
import { rm } from 'node:fs/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, expect } from 'vitest';
import { createEndpoint, type EndpointFields } from '../../src/alerting/notifications/endpoints.ts';
import { enqueue } from '../../src/alerting/notifications/enqueue.ts';
import type { Notification } from '../../src/alerting/notifications/notification.ts';
import { Notifier, type NotifierOptions } from '../../src/alerting/notifications/notifier.ts';
import { newId } from '../../src/lib/ids.ts';
import { SecretBox } from '../../src/lib/secret-box.ts';
import { type ControlStore, openControlStore } from '../../src/storage/control/control-store.ts';
import type { NotificationEndpointRow } from '../../src/storage/control/schema/schema.ts';
import { makeDataDir } from '../support/service.ts';
import { type Receiver, type Reply, startReceiver } from './receiver.ts';

export const box = new SecretBox('a key of the tests, 32 characters');

export interface World {
  readonly control: ControlStore;
  readonly dataDir: string;
  readonly projectId: string;
  /** Everything that was logged. */
  readonly log: () => string;
  now(): number;
  /** Moves the clock, in milliseconds. */
  pass(ms: number): void;
  addEndpoint(
    fields: Partial<EndpointFields> & { target: string },
  ): Promise<{ endpoint: NotificationEndpointRow; secret: string }>;
  /** Stores a notification as its cause does, and returns it. */
  notify(fields?: Partial<Notification>): Promise<Notification>;
  makeNotifier(options?: Partial<NotifierOptions>): Notifier;
  /** The control store as another process has it. */
  openAnother(): Promise<ControlStore>;
  deliveries(): ReturnType<typeof readDeliveries>;
  attempts(): ReturnType<typeof readAttempts>;
  close(): Promise<void>;
}

const readDeliveries = async (control: ControlStore) =>
  await control.selectFrom('notification_deliveries').selectAll().orderBy('created_at').orderBy('id').execute();
const readAttempts = async (control: ControlStore) =>
  await control.selectFrom('notification_attempts').selectAll().orderBy('id').execute();

/** On SQLite, or on a PostgreSQL database of its own. */
export async function openWorld(postgresUrl?: string): Promise<World> {
  const dataDir = makeDataDir();
  const options = { dataDir, postgresUrl, onError: () => undefined };
  const control = await openControlStore(options);
  const others: ControlStore[] = [];
  const projectId = newId('prj');
  let log = '';
  const addToLog = (line: string) => {
    log += line;
  };
  const logger = pino({ level: 'trace' }, { write: addToLog });
  let movedMs = 0;
  const now = () => Date.now() + movedMs;
  await control
    .insertInto('projects')
    .values({
      ...{ id: projectId, name: 'p', type: 'revenue' as const, timezone: 'UTC', pending_timezone: null },
      ...{
        base_generation: 1,
        at_risk_below_pct: null,
        retention_days: null,
        keep_content: 0,
        join_alike: 1,
        tag_dimensions: '[]',
        frozen_before: null,
      },
      ...{
        frozen_at: null,
        cleared_before: null,
        clearing_before: null,
        clearing_step: 0,
        closed_through: null,
        created_at: now(),
      },
      ...{ deleted_at: null, purged_at: null },
    })
    .execute();
  const notifiers: Notifier[] = [];
  return {
    control,
    dataDir,
    projectId,
    log: () => log,
    now,
    pass: (ms) => {
      movedMs += ms;
    },
    addEndpoint: async (fields) => {
      const all = { kind: 'webhook', alerts: null, isEnabled: true, digest: null, box, ...fields } as EndpointFields;
      const made = await createEndpoint({ control, clock: now }, projectId, all);
      if (!made) throw new Error('there are too many endpoints');
      return { endpoint: made.endpoint, secret: made.secret ?? '' };
    },
    notify: async (fields = {}) => {
      const notification: Notification = {
        ...{ id: newId('nts'), projectId, kind: 'budget', event: 'fired', at: now(), title: 'Budget spent' },
        ...{ text: '80 % of the budget is spent.', path: '/budgets/all', data: { spent: 80.5 } },
        ...fields,
      };
      await control.transaction().execute(async (transaction) => await enqueue(transaction, notification));
      return notification;
    },
    makeNotifier: (options = {}) => {
      const notifier = new Notifier({
        ...{ control, clock: now, logger, box, mail: undefined, publicUrl: undefined },
        ...{ sender: newId('wrt'), exclusive: false, isHolder: () => true, random: () => 0 },
        reach: { hosts: new Set(['127.0.0.1']) },
        ...options,
      });
      notifiers.push(notifier);
      return notifier;
    },
    openAnother: async () => {
      const other = await openControlStore(options);
      others.push(other);
      return other;
    },
    deliveries: () => readDeliveries(control),
    attempts: () => readAttempts(control),
    close: async () => {
      await Promise.all(notifiers.map((notifier) => notifier.close()));
      await Promise.all([control, ...others].map((store) => store.destroy()));
      await rm(dataDir, { recursive: true });
    },
  };
}

/**
 * Opens a world for each test of a file and gives it to `onOpen`. `receive` starts an endpoint that is closed after the
 * test; `untilAttempts` waits until this many attempts are noted.
 */
export function openWorldForEachTest(onOpen: (world: World) => void) {
  let world: World;
  const receivers: Receiver[] = [];
  beforeEach(async () => {
    world = await openWorld();
    onOpen(world);
  });
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
    await world.close();
  });
  return {
    receive: async (reply?: Reply): Promise<Receiver> => {
      const receiver = await startReceiver(reply);
      receivers.push(receiver);
      return receiver;
    },
    untilAttempts: (count: number) =>
      expect.poll(async () => (await world.attempts()).length, { timeout: 60_000 }).toBe(count),
  };
}
