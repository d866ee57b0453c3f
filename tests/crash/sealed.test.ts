// Answers are the same whether they are read from calls, from the rollups of sealed days, or from both.
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changesOfInternalProject, changesOfRevenueProject } from '../support/arbitraries/changes.ts';
import type { History } from '../support/arbitraries/history.ts';
import { denseDays } from '../support/arbitraries/names.ts';
import { creditedQuery, marginQuery, performanceQuery } from '../support/arbitraries/questions.ts';
import { makeChange } from '../support/changes.ts';
import { connect, type Farthing } from '../support/client.ts';
import { allMargin } from '../support/margin.ts';
import { expectRows, modelCosts, modelMargin, modelPerformance } from '../support/model.ts';
import { freePort } from '../support/ports.ts';
import { makeDataDir, type Service, startService } from '../support/service.ts';
import { makeCallIds, storeHistory } from '../support/stored-history.ts';

let service: Service;
let farthing: Farthing;

beforeAll(async () => {
  // Days are rolled up at once, so that answers come from rollups and calls in every mixture.
  service = await startService({ dataDir: makeDataDir(), env: { FARTHING_SEAL_AFTER_SECONDS: '0' } });
  farthing = connect(service.url, service.adminToken);
});

afterAll(async () => {
  await service?.kill();
});

const nothing: History = { timezone: 'UTC', batches: [], customerTags: [], userTags: [] };
const timeLimit = 15_000;
/** About how long the service takes to seal what has changed, in milliseconds; sometimes it has not, or not all. */
const someTimeMs = 350;

async function countSealed(service: Farthing): Promise<number> {
  const { text } = await service.send('GET', '/metrics');
  return Number(/^farthing_days_sealed_total (\d+)/m.exec(text)?.[1] ?? 0);
}

test('D6, D7, D8: costs and margins are the same from sealed days', { timeout: 120_000 }, async () => {
  const sealedBefore = await countSealed(farthing);
  const questions = fc.tuple(
    fc.array(creditedQuery(denseDays), { minLength: 6, maxLength: 6 }),
    marginQuery(denseDays),
  );
  const deadline = Date.now() + timeLimit;
  await fc.assert(
    fc.asyncProperty(changesOfRevenueProject(denseDays), questions, async (changes, [costs, margin]) => {
      if (Date.now() > deadline) return;
      const { project, model: empty } = await storeHistory(farthing, nothing, { type: 'revenue' });
      const ids = makeCallIds();
      let model = empty;
      for (const change of changes) {
        model = await makeChange({ project, model }, change, ids);
        await pause(someTimeMs);
        const answers = await Promise.all(costs.map((question) => project.allCosts({ ...question })));
        for (const [index, question] of costs.entries()) expect(answers[index]).toEqual(modelCosts(model, question));
        expectRows(await allMargin(project, { ...margin }), modelMargin(model, margin));
      }
    }),
    { numRuns: 30 },
  );
  expect(await countSealed(farthing)).toBeGreaterThan(sealedBefore);
});

test('D6, D9: performance is the same from sealed days', { timeout: 120_000 }, async () => {
  const deadline = Date.now() + timeLimit;
  await fc.assert(
    fc.asyncProperty(changesOfInternalProject(denseDays), performanceQuery(denseDays), async (changes, asked) => {
      if (Date.now() > deadline) return;
      const { project, model: empty } = await storeHistory(farthing, nothing, { type: 'internal' });
      const ids = makeCallIds();
      let model = empty;
      for (const change of changes) {
        model = await makeChange({ project, model }, change, ids);
        await pause(someTimeMs);
        expectRows(await project.allPerformance({ ...asked }), modelPerformance(model, asked));
      }
    }),
    { numRuns: 30 },
  );
});

test('D4.7, D6: killed at any moment of sealing, answers stay the same', { timeout: 150_000 }, async () => {
  const dataDir = makeDataDir();
  const port = await freePort();
  const start = () => startService({ dataDir, port, env: { FARTHING_SEAL_AFTER_SECONDS: '0' } });
  let killed = await start();
  let sealed = 0;
  try {
    const there = connect(killed.url, killed.adminToken);
    await fc.assert(
      fc.asyncProperty(
        fc.array(changesOfRevenueProject(denseDays), { minLength: 3, maxLength: 3 }),
        fc.array(creditedQuery(denseDays), { minLength: 6, maxLength: 6 }),
        // Before anything is sealed, in the middle of it, and after.
        fc.array(fc.nat({ max: 2 * someTimeMs }), { minLength: 3, maxLength: 3 }),
        async (histories, questions, pauses) => {
          const stored = await storeHistory(there, nothing, { type: 'revenue' });
          const { project } = stored;
          let { model } = stored;
          const ids = makeCallIds();
          for (const [index, changes] of histories.entries()) {
            for (const change of changes) model = await makeChange({ project, model }, change, ids);
            await pause(pauses[index]);
            sealed += await countSealed(there);
            await killed.kill();
            killed = await start();
            for (const question of questions) {
              expect(await project.allCosts({ ...question })).toEqual(modelCosts(model, question));
            }
          }
        },
      ),
      { numRuns: 4 },
    );
    // Otherwise the kills proved nothing.
    expect(sealed).toBeGreaterThan(0);
  } finally {
    await killed.kill();
  }
});
