// Whatever faults, kills, rivals, corrections, switches and renamings come between: the entries and calls of a provider account
// are those of the provider's last word, none twice.
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import {
  changeAccount,
  createAccount,
  deleteAccount,
  findAccount,
  requestRead,
} from '../../src/billing/provider-accounts/accounts.ts';
import { ProviderFault } from '../../src/billing/provider-accounts/ask.ts';
import { readAccount } from '../../src/billing/provider-accounts/read-account.ts';
import { ProviderReader } from '../../src/billing/provider-accounts/reader.ts';
import type { EventSink } from '../../src/billing/provider-accounts/store-span.ts';
import { SecretBox } from '../../src/lib/secret-box.ts';
import type { ControlQueries } from '../../src/storage/control/control-store.ts';
import { Lease, LeaseLost } from '../../src/storage/control/lease.ts';
import type { Mode } from '../../src/storage/control/schema/billing-rows.ts';
import { usualOrLong } from '../support/effort.ts';
import { poll } from '../support/poll.ts';
import {
  chargesOf,
  type Kind,
  type Mishap,
  modelsOf,
  ProviderServer,
  providerKeys,
  type Traffic,
} from '../support/provider-server.ts';
import { makeProject, type OpenControl, openControl } from '../support/stores.ts';

const box = new SecretBox('a key of the tests, of 32 characters or more');
const dayMs = 86_400_000;
const toDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

let opened: OpenControl;
let server: ProviderServer;
let now = Date.parse('2026-11-20T09:00:00Z');
const clock = () => now;

beforeAll(async () => {
  opened = await openControl();
  server = await ProviderServer.start();
});
afterAll(async () => {
  await server.close();
  await opened.close();
});
beforeEach(() => {
  for (const kind of ['openai', 'anthropic', 'openrouter'] as const) server.traffic[kind] = [];
  server.mishaps = [];
  server.asked = [];
});
afterEach(() => expect(server.asked.filter((line) => !line.startsWith('GET '))).toEqual([]));

class Killed extends Error {}

/** Ends the process at one of its confirmations. */
class FragileLease extends Lease {
  left = Number.POSITIVE_INFINITY;
  override async confirm(transaction: ControlQueries): Promise<void> {
    this.left -= 1;
    if (this.left === 0) throw new Killed();
    await super.confirm(transaction);
  }
}

const posted = z.looseObject({
  event_id: z.string(),
  withdrawn: z.boolean(),
  timestamp: z.string(),
  model: z.string().optional(),
  tags: z.record(z.string(), z.string()).optional(),
  usage: z.looseObject({}).optional(),
  cost: z.number().optional(),
});
type Posted = z.infer<typeof posted>;

/** The log, as far as these events go: of an id, the last word counts. */
class Log implements EventSink {
  readonly events: Posted[] = [];
  /** After how many requests the process ends, before or after the events are durable. */
  endsAfter = Number.POSITIVE_INFINITY;
  isDurable = false;
  beforeStore: (() => Promise<void>) | undefined;
  receivedAt = clock;
  async store(events: Parameters<EventSink['store']>[0]): Promise<void> {
    const { beforeStore } = this;
    this.beforeStore = undefined;
    await beforeStore?.();
    this.endsAfter -= 1;
    if (this.endsAfter === 0 && !this.isDurable) throw new Killed();
    this.events.push(...events.map(({ text }) => posted.parse(JSON.parse(Buffer.from(text).toString()))));
    if (this.endsAfter === 0) throw new Killed();
  }
  calls(): Posted[] {
    const last = new Map<string, Posted>();
    for (const event of this.events) last.set(event.event_id, { ...last.get(event.event_id), ...event });
    return [...last.values()].filter(({ withdrawn }) => !withdrawn);
  }
}

type Step =
  | {
      readonly do: 'use';
      readonly daysAgo: number;
      readonly who: number;
      readonly model: number;
      readonly input: number;
    }
  | { readonly do: 'correct'; readonly at: number; readonly daysAgo: number }
  | { readonly do: 'wait'; readonly hours: number }
  | { readonly do: 'read'; readonly mishaps: readonly (Mishap | undefined)[] }
  | { readonly do: 'end'; readonly at: 'confirm' | 'before' | 'durable' | 'rival'; readonly nth: number }
  | { readonly do: 'switch'; readonly mode: Mode }
  | { readonly do: 'name'; readonly key: number; readonly customer: string | undefined };

const mishap: fc.Arbitrary<Mishap | undefined> = fc.constantFrom(
  ...[undefined, undefined, undefined, undefined],
  ...(['cut', 'cut midway', 'no JSON', 'no next page', { status: 500 }, { status: 403 }] as const),
  { status: 429, retryAfter: '30' },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('use' as const),
      ...{ daysAgo: fc.nat(7), who: fc.nat(3), model: fc.nat(1), input: fc.integer({ min: 1, max: 2_000_000 }) },
    }),
  },
  fc.record({ do: fc.constant('correct' as const), at: fc.nat(20), daysAgo: fc.nat(7) }),
  fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(1, 12, 30, 24 * 9) }),
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('read' as const), mishaps: fc.array(mishap, { maxLength: 12 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      at: fc.constantFrom('confirm' as const, 'before' as const, 'durable' as const, 'rival' as const),
      nth: fc.integer({ min: 1, max: 5 }),
    }),
  },
  fc.record({ do: fc.constant('switch' as const), mode: fc.constantFrom('reconcile' as const, 'meter' as const) }),
  fc.record({
    do: fc.constant('name' as const),
    ...{ key: fc.nat(3), customer: fc.constantFrom(undefined, 'acme', 'globex') },
  }),
);

const people = ['ada', 'bob', 'cyd', 'dan'].map((name, at) => ({
  ...{ key: `key_${name}`, workspace: `team_${at % 2}`, user: `user_${name}` },
}));

test('D30.1, D30.2: the entries and calls are the last word of the provider, none twice', async () => {
  const { control } = opened;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('openai', 'anthropic', 'openrouter'),
      fc.constantFrom('reconcile', 'meter'),
      fc.array(step, { minLength: 3, maxLength: 14 }),
      async (kind: Kind, firstMode: Mode, steps) => {
        now += 100 * dayMs;
        server.traffic[kind] = [];
        server.hasCode = steps.length % 2 === 0;
        server.bucketsOfPage = 1 + (steps.length % 4);
        const project = await makeProject(control, clock);
        const projectId = project.id;
        const { id } = await createAccount(
          { control, clock },
          projectId,
          { kind, mode: firstMode, key: providerKeys[kind], since: toDay(now - 20 * dayMs), names: [] },
          box,
        );
        const log = new Log();
        const names = new Map<string, string>();
        let mode = firstMode;
        const read = async (lease: Lease, sink: EventSink) => {
          const account = await findAccount(control, projectId, id);
          if (account === undefined) throw new Error('there is no account');
          const signal = new AbortController().signal;
          return await readAccount(account, {
            ...{ control, clock, lease, sink, box, signal, maxTags: 100, urls: server.urls },
          });
        };
        const leaseOf = async (holder: string) => {
          const lease = new FragileLease({ control, clock, holder, exclusive: true });
          await lease.acquire();
          return lease;
        };
        for (const one of steps) {
          server.mishaps = [];
          const traffic = server.traffic[kind];
          if (one.do === 'use') {
            const who = people[one.who] ?? people[0];
            const models = modelsOf[kind];
            const model = models[one.model % models.length] ?? models[0];
            if (who === undefined) continue;
            traffic.push({
              ...{ ...who, model, day: toDay(now - one.daysAgo * dayMs), input: one.input },
              ...{ cached: one.input % 1_000, output: one.input % 777, requests: 1 + (one.input % 9) },
            });
          } else if (one.do === 'correct') {
            // The provider takes back what it said of a recent day, or says it of another key.
            const at = traffic.findIndex(({ day }) => day >= toDay(now - 7 * dayMs));
            const [found] = at === -1 ? [] : traffic.splice(at, 1);
            if (found && one.at % 2 === 0)
              traffic.push({ ...found, key: `${found.key}_renamed`, input: found.input + 1 });
          } else if (one.do === 'wait') now += one.hours * 3_600_000;
          else if (one.do === 'read') {
            server.mishaps = [...one.mishaps];
            await read(await leaseOf('one'), log).catch((error: unknown) =>
              expect(error).toBeInstanceOf(ProviderFault),
            );
          } else if (one.do === 'end') {
            const lease = await leaseOf('one');
            if (one.at === 'confirm') lease.left = one.nth;
            else if (one.at !== 'rival') Object.assign(log, { endsAfter: one.nth, isDurable: one.at === 'durable' });
            let error: unknown;
            if (one.at === 'rival') {
              // Its events are on their way when another instance takes the lease, and reads what has changed since.
              log.beforeStore = async () => {
                for (const at of traffic.keys()) {
                  const found = traffic[at];
                  if (found && found.day >= toDay(now - 7 * dayMs)) traffic[at] = { ...found, input: found.input + 7 };
                }
                const rival = new FragileLease({ control, clock, holder: 'rival', exclusive: true });
                await rival.acquire();
                await read(rival, log);
              };
            }
            await read(lease, log).catch((cause: unknown) => {
              error = cause;
            });
            if (error !== undefined) expect(error).toBeInstanceOf(one.at === 'rival' ? LeaseLost : Killed);
            Object.assign(log, { endsAfter: Number.POSITIVE_INFINITY, beforeStore: undefined });
          } else if (one.do === 'switch') {
            mode = one.mode;
            await changeAccount({ control, clock }, { projectId, id }, { key: undefined, mode, names: undefined });
          } else {
            const key = people[one.key]?.key ?? '';
            if (one.customer === undefined) names.delete(key);
            else names.set(key, one.customer);
            const table = [...names].map(([name, customer]) => ({ by: 'key' as const, id: name, customer }));
            await changeAccount(
              { control, clock },
              { projectId, id },
              { key: undefined, mode: undefined, names: table },
            );
          }
        }
        server.mishaps = [];
        if (kind === 'openrouter') now += dayMs;
        await read(await leaseOf('last'), log);
        const expected = server.traffic[kind];

        const entries = await control
          .selectFrom('invoice_entries')
          .select(['date_from', 'model', 'amount'])
          .where('project_id', '=', projectId)
          .execute();
        const invoiced = addUp(
          entries,
          (entry) => [entry.date_from, entry.model],
          (entry) => BigInt(entry.amount.replace('.', '')),
        );
        const charged = addUp(
          expected.flatMap((one) => chargesOf(one).map(([, amount]) => ({ ...one, amount }))),
          (one) => [one.day, one.model],
          ({ amount }) => amount,
        );
        expect(invoiced).toEqual(charged);

        const calls = log.calls();
        const keyOf = (one: Traffic) =>
          kind === 'openrouter' ? ['', one.workspace, ''] : [one.key, one.workspace, one.user];
        const customerOf = (one: Traffic) => (kind === 'openrouter' ? '' : (names.get(one.key) ?? ''));
        const used = addUp(
          mode === 'meter' ? expected : [],
          (one) => [one.day, one.model, ...keyOf(one), customerOf(one)],
          ({ input, cached, output }) => BigInt(input + cached + output),
        );
        const metered = addUp(
          calls,
          ({ timestamp, model, tags = {} }) => [
            ...[timestamp.slice(0, 10), model, tags.key ?? '', tags.workspace ?? '', tags.provider_user ?? ''],
            tags.customer ?? '',
          ],
          ({ usage = {} }) => totalOf(usage),
        );
        expect(metered).toEqual(used);
        expect(calls).toHaveLength(used.size);

        // Deleted, it takes out all that it brought.
        await deleteAccount({ control, clock }, projectId, id, { keeps: false });
        const gone = await control
          .selectFrom('provider_accounts')
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        expect(gone.secret).toBe('');
        const lease = await leaseOf('last');
        const signal = new AbortController().signal;
        await readAccount(gone, {
          ...{ control, clock, lease, sink: log, box, signal, maxTags: 100, urls: server.urls },
        });
        expect(log.calls()).toEqual([]);
        for (const table of ['invoice_entries', 'provider_calls', 'provider_accounts'] as const) {
          expect(await control.selectFrom(table).selectAll().where('project_id', '=', projectId).execute()).toEqual([]);
        }
      },
    ),
    { numRuns: usualOrLong(8, 500) },
  );
});

test('D30.1: a provider that takes few requests at a time is read to its end, and anew when somebody asks', async () => {
  const { control } = opened;
  now += 100 * dayMs;
  const { id: projectId } = await makeProject(control, clock);
  const given = { kind: 'openai', mode: 'meter', key: providerKeys.openai, since: toDay(now - 70 * dayMs) } as const;
  const { id } = await createAccount({ control, clock }, projectId, { ...given, names: [] }, box);
  const [who] = people;
  server.bucketsOfPage = 31;
  server.traffic.openai = [0, 6, 20, 40, 65].map((days) => ({
    ...{ key: '', workspace: '', user: '', ...who, model: modelsOf.openai[0], day: toDay(now - days * dayMs) },
    ...{ input: 7, cached: 0, output: 3, requests: 1 },
  }));
  const lease = new Lease({ control, clock, holder: 'one', exclusive: true });
  const log = new Log();
  const options = { control, clock, lease, sink: log, box, maxTags: 100, urls: server.urls };
  const reader = new ProviderReader({ ...options, logger: pino({ level: 'silent' }) });
  /** One attempt, in which the provider answers four requests. */
  const attempt = async () => {
    now += 60_000;
    await lease.acquire();
    server.mishaps = [...Array.from({ length: 4 }, () => undefined), { status: 429, retryAfter: '60' }];
    return await poll('the attempt ends', { within: 60_000, every: 100 }, async () => {
      await reader.step();
      const row = await findAccount(control, projectId, id);
      return row?.fault_at === now || row?.succeeded_at === now ? row : undefined;
    });
  };
  const began = now + 60_000;
  const rows = [await attempt()];
  while (rows.at(-1)?.fault && rows.length < 10) rows.push(await attempt());
  const { asked } = server;
  // All days of each part once, but for what was refused. Waits do not grow while there is progress.
  expect(asked.length - (rows.length - 1)).toBe(new Set(asked).size);
  expect(rows.slice(0, -1).map((row) => [row.failures, row.next_at - Number(row.fault_at)])).toEqual(
    rows.slice(0, -1).map(() => [1, 60_000]),
  );
  expect(rows.at(-1)).toMatchObject({ fault: null, next_at: began + 3_600_000 });
  expect(JSON.parse(rows.at(-1)?.last_read ?? '')).toMatchObject({
    date_from: given.since,
    calls: 5,
    calls_changed: 5,
  });
  expect(log.calls()).toHaveLength(5);

  now = began + 3_600_000;
  await attempt();
  await requestRead({ control, clock: () => now + 1 }, projectId, id);
  server.asked = [];
  await attempt();
  expect(server.asked[0]).toContain('/organization/costs');
  await reader.close();
});

/** All tokens of a usage, in the form of OpenAI or Anthropic. */
const totalOf = (usage: Readonly<Record<string, unknown>>): bigint =>
  ['input_tokens', 'prompt_tokens', 'cache_read_input_tokens', 'output_tokens', 'completion_tokens'].reduce(
    (total, name) => total + BigInt(Number(usage[name] ?? 0)),
    0n,
  );

function addUp<T>(list: readonly T[], by: (one: T) => readonly unknown[], of: (one: T) => bigint): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const one of list) {
    const key = JSON.stringify(by(one));
    sums.set(key, (sums.get(key) ?? 0n) + of(one));
  }
  return new Map([...sums].filter(([, total]) => total !== 0n).sort());
}
