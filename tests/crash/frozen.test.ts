// Answers are the same after the events and calls of their first days were deleted, or are refused (docs/decisions/0010).
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Change, changesOfInternalProject, changesOfRevenueProject } from '../support/arbitraries/changes.ts';
import { type History, newCall } from '../support/arbitraries/history.ts';
import { denseDays, firstDay } from '../support/arbitraries/names.ts';
import { creditedQuery, marginQuery, performanceQuery } from '../support/arbitraries/questions.ts';
import { makeChange } from '../support/changes.ts';
import { connect, type Farthing } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { allMargin } from '../support/margin.ts';
import {
  addDays,
  type CostsQuery,
  expectRows,
  type MarginQuery,
  modelCosts,
  modelMargin,
  modelPerformance,
  type PerformanceQuery,
} from '../support/model.ts';
import { poll } from '../support/poll.ts';
import { checkCases } from '../support/random-cases.ts';
import { freezeBefore } from '../support/retention.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';
import { makeCallIds, type Stored, storeHistory } from '../support/stored-history.ts';

const env = { FARTHING_SEAL_AFTER_SECONDS: '0', FARTHING_DELETE_FROZEN_AFTER_SECONDS: '0' };
const dataDir = makeMigratedDataDir();
let service: Service;
let farthing: Farthing;

const start = async () => {
  service = await startService({ dataDir, env, ...(service && { port: service.port }) });
};

beforeAll(async () => {
  await start();
  farthing = connect(service.url, service.adminToken);
});

afterAll(async () => {
  await service?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

const nothing: History = { timezone: 'UTC', batches: [], customerTags: [], userTags: [] };

/** A day in the middle of a history: those before it are frozen. */
const horizon = fc.integer({ min: 3, max: denseDays - 1 }).map((day) => addDays(firstDay, day));

/** A reprice is of ten years, each day of which is sealed anew before any of them is frozen: others look at that. */
const beforehand = (changes: readonly Change[]): Change[] => changes.filter(({ kind }) => kind !== 'reprice');

/** What may change in a project with frozen days and means the same there: its events are of other calls, and of later days. */
const after = (changes: readonly Change[], keptFrom: string): Change[] =>
  changes.flatMap((change): Change[] => {
    switch (change.kind) {
      case 'move to a timezone':
      case 'reprice':
      case 'define key metrics':
        return [];
      case 'post events': {
        const events = change.events
          .filter(({ fields: { timestamp } }) => typeof timestamp !== 'string' || timestamp > addDays(keptFrom, 2))
          .map((event) => ({ ...event, call: newCall }));
        return events.length === 0 ? [] : [{ ...change, events }];
      }
      default:
        return [change];
    }
  });

async function makeChanges(
  { project, model: before }: Stored,
  changes: readonly Change[],
  ids: readonly string[],
): Promise<Stored> {
  let model = before;
  for (const change of changes) model = await makeChange({ project, model }, change, ids);
  return { project, model };
}

async function countDeletions(there: Farthing): Promise<number> {
  const { text } = await there.send('GET', '/metrics');
  return Number(/^farthing_retention_deletions_total (\d+)/m.exec(text)?.[1] ?? 0);
}

const deletedAfter = (there: Farthing, before: number) =>
  poll('the events and calls are deleted', { within: 60_000 }, async () =>
    (await countDeletions(there)) > before ? true : undefined,
  );

/** Whether rollups do not hold what a question about costs asks of days before `keptFrom`. */
function costsNeedCalls(asked: CostsQuery, keptFrom: string): boolean {
  if (asked.date_from >= keptFrom) return false;
  const { group_by: group, customers, features, models, providers, customer_tags: customerTags } = asked;
  const dimensions = new Set([
    ...(group ? [group] : []),
    ...(customers || customerTags ? ['customer'] : []),
    ...(features ? ['feature'] : []),
    ...(models ? ['model'] : []),
    ...(providers ? ['provider'] : []),
  ]);
  if (asked.run_tags) return true;
  if (asked.apply_credits && dimensions.has('customer') && dimensions.has('feature')) return true;
  // A run has one feature, and may have several models: they are told apart where each has its row.
  const ofPrices = dimensions.has('model') || dimensions.has('provider');
  return ofPrices && (dimensions.size > 1 || !group);
}

const marginNeedsCalls = (asked: MarginQuery, keptFrom: string): boolean =>
  asked.date_from < keptFrom && asked.apply_credits === true && asked.filter_customers_based_on_features !== undefined;

const performanceNeedsCalls = (asked: PerformanceQuery, keptFrom: string): boolean =>
  asked.date_from < keptFrom &&
  asked.apply_credits === true &&
  [asked.group_by, asked.users, asked.user_tags, asked.filter_users_based_on_features].some((one) => one !== undefined);

/** Compares an answer; only where it needs what is deleted it may be refused. */
async function compare(ask: () => Promise<void>, needsCalls: boolean, seen: { answered: number }): Promise<void> {
  try {
    await ask();
    seen.answered += 1;
  } catch (error) {
    if (!needsCalls || !String(error).includes('"code":"beyond_retention"')) throw error;
  }
}

test('D6, D7, D8: costs and margins are the same when the calls of their first days are deleted', async () => {
  const seen = { answered: 0 };
  await checkCases(
    [
      fc.tuple(changesOfRevenueProject(denseDays), changesOfRevenueProject(denseDays)),
      fc.array(creditedQuery(denseDays), { minLength: 6, maxLength: 6 }),
      fc.array(marginQuery(denseDays), { minLength: 2, maxLength: 2 }),
      horizon,
    ],
    12,
    async ([first, later], costs, margins, keptFrom) => {
      const ids = makeCallIds();
      let stored = await storeHistory(farthing, nothing, { type: 'revenue' });
      stored = await makeChanges(stored, beforehand(first), ids);
      const before = await countDeletions(farthing);
      const compareAll = async () => {
        const { project, model } = stored;
        for (const asked of costs) {
          await compare(
            async () => expect(await project.allCosts({ ...asked })).toEqual(modelCosts(model, asked)),
            costsNeedCalls(asked, keptFrom),
            seen,
          );
        }
        for (const asked of margins) {
          await compare(
            async () => expectRows(await allMargin(project, { ...asked }), modelMargin(model, asked)),
            marginNeedsCalls(asked, keptFrom),
            seen,
          );
        }
      };
      await freezeBefore(stored.project, keptFrom);
      await compareAll();
      await deletedAfter(farthing, before);
      await compareAll();
      stored = await makeChanges(stored, after(later, keptFrom), ids);
      await compareAll();
    },
  );
  expect(seen.answered).toBeGreaterThan(0);
});

test('D9: performance is the same when the events of its first days are deleted', async () => {
  const seen = { answered: 0 };
  await checkCases(
    [
      fc.tuple(changesOfInternalProject(denseDays), changesOfInternalProject(denseDays)),
      fc.array(performanceQuery(denseDays), { minLength: 6, maxLength: 6 }),
      horizon,
    ],
    12,
    async ([first, later], questions, keptFrom) => {
      const ids = makeCallIds();
      let stored = await storeHistory(farthing, nothing, { type: 'internal' });
      stored = await makeChanges(stored, beforehand(first), ids);
      const before = await countDeletions(farthing);
      const compareAll = async () => {
        const { project, model } = stored;
        for (const asked of questions) {
          await compare(
            async () => expectRows(await project.allPerformance({ ...asked }), modelPerformance(model, asked)),
            performanceNeedsCalls(asked, keptFrom),
            seen,
          );
        }
      };
      await freezeBefore(stored.project, keptFrom);
      await compareAll();
      await deletedAfter(farthing, before);
      await compareAll();
      stored = await makeChanges(stored, after(later, keptFrom), ids);
      await compareAll();
    },
  );
  expect(seen.answered).toBeGreaterThan(0);
});

test('D4.7: killed at any moment of freezing and deleting, answers stay the same', async () => {
  const seen = { answered: 0 };
  await fc.assert(
    fc.asyncProperty(
      changesOfInternalProject(denseDays),
      fc.array(performanceQuery(denseDays), { minLength: 4, maxLength: 4 }),
      horizon,
      fc.array(fc.nat({ max: 400 }), { minLength: 3, maxLength: 3 }),
      async (changes, questions, keptFrom, pauses) => {
        const stored = await storeHistory(farthing, nothing, { type: 'internal' });
        const { project, model } = await makeChanges(stored, beforehand(changes), makeCallIds());
        let isFrozen = false;
        const frozen = () =>
          freezeBefore(project, keptFrom).then(
            () => {
              isFrozen = true;
            },
            // The service is gone for a moment.
            () => undefined,
          );
        for (const ms of pauses) {
          const freezing = isFrozen ? undefined : frozen();
          await pause(ms);
          await service.kill();
          await freezing;
          await start();
          for (const asked of questions) {
            await compare(
              async () => expectRows(await project.allPerformance({ ...asked }), modelPerformance(model, asked)),
              performanceNeedsCalls(asked, keptFrom),
              seen,
            );
          }
        }
        await freezeBefore(project, keptFrom);
        for (const asked of questions) {
          await compare(
            async () => expectRows(await project.allPerformance({ ...asked }), modelPerformance(model, asked)),
            performanceNeedsCalls(asked, keptFrom),
            seen,
          );
        }
      },
    ),
    { numRuns: usualOrLong(1, 6) },
  );
  expect(seen.answered).toBeGreaterThan(0);
});
