import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Change, changesOfInternalProject, changesOfRevenueProject } from '../support/arbitraries/changes.ts';
import type { History } from '../support/arbitraries/history.ts';
import { denseDays } from '../support/arbitraries/names.ts';
import { creditedQuery, marginQuery, performanceQuery } from '../support/arbitraries/questions.ts';
import { makeChange } from '../support/changes.ts';
import { sharedFarthing } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { allMargin } from '../support/margin.ts';
import { expectRows, modelCosts, modelMargin, modelPerformance } from '../support/model.ts';
import { checkCases } from '../support/random-cases.ts';
import { makeCallIds, type Stored, storeHistory } from '../support/stored-history.ts';

const farthing = sharedFarthing();
const most = usualOrLong(4, 9);
const nothing: History = { timezone: 'UTC', batches: [], customerTags: [], userTags: [] };

/** Asks after every change, so that a stale cached answer shows. */
async function askAfterEach(
  type: 'revenue' | 'internal',
  changes: readonly Change[],
  ask: (stored: Stored) => Promise<void>,
): Promise<void> {
  const { project, model: empty } = await storeHistory(farthing, nothing, { type });
  const ids = makeCallIds();
  let model = empty;
  for (const change of changes) {
    model = await makeChange({ project, model }, change, ids);
    await ask({ project, model });
  }
}

test('D4.7, D7, D8: costs and margins follow every change at once', async () => {
  const questions = fc.tuple(creditedQuery(denseDays), marginQuery(denseDays));
  await checkCases([changesOfRevenueProject(denseDays, most), questions], 30, async (changes, [costs, margin]) => {
    await askAfterEach('revenue', changes, async ({ project, model }) => {
      expect(await project.allCosts({ ...costs })).toEqual(modelCosts(model, costs));
      expectRows(await allMargin(project, { ...margin }), modelMargin(model, margin));
    });
  });
});

test('D4.7, D7, D9: performance follows every change at once', async () => {
  const question = performanceQuery(denseDays);
  await checkCases([changesOfInternalProject(denseDays, most), question], 30, async (changes, asked) => {
    await askAfterEach('internal', changes, async ({ project, model }) => {
      expectRows(await project.allPerformance({ ...asked }), modelPerformance(model, asked));
    });
  });
});
