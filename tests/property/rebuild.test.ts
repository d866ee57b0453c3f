import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callEvent, type History, historyOf, prices } from '../support/arbitraries/history.ts';
import * as names from '../support/arbitraries/names.ts';
import { dimensions } from '../support/arbitraries/questions.ts';
import { type Project, sharedFarthing, wholeRange } from '../support/client.ts';
import { isLong, usualOrLong } from '../support/effort.ts';
import { type MetricEvent, type ModelPrice, type ModelStore, modelCosts } from '../support/model.ts';
import { checkCases } from '../support/random-cases.ts';
import { changeTimezone, rebuildProject, repriceDays } from '../support/reprice.ts';
import { makeCallIds, postEvents, setPrices } from '../support/stored-history.ts';

const farthing = sharedFarthing();
// A rebuild writes and rolls up every day with calls.
const history = historyOf(callEvent(usualOrLong(names.denseDays, names.days)));
// All events lie in these days. The range is short because the model visits every day of it.
const days = { date_from: '2023-12-01', date_to: '2024-05-31' };
const doubled: ModelPrice[] = prices.map((price) => ({ ...price, input: '3.5', cacheRead: '0.000001' }));

/** Compares answers of several shapes with the model: in the usual form one by a dimension, another one after each step. */
async function expectModel(project: Project, model: ModelStore, step: number): Promise<void> {
  const dimension = dimensions[step % dimensions.length];
  for (const group_by of usualOrLong([dimension], [undefined, ...dimensions])) {
    const query = { ...days, ...(group_by && { group_by }) };
    expect(await project.allCosts(query)).toEqual(modelCosts(model, query));
  }
}

async function post(project: Project, past: History, ids: readonly string[]): Promise<MetricEvent[]> {
  const received: MetricEvent[] = [];
  for (const batch of past.batches) received.push(...(await postEvents(project, ids, batch)));
  return received;
}

test('D2, D5.5: after new timezones, reprices and rebuilds, amid arriving events, costs equal the model', async () => {
  const timezone = fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/New_York', 'Pacific/Auckland', 'Pacific/Apia');
  await checkCases([history, history, timezone], 25, async (past, later, newTimezone) => {
    const project = await farthing.createProject({ timezone: past.timezone });
    await setPrices(project, prices);
    const ids = makeCallIds();
    const events = await post(project, past, ids);
    const model = { timezone: past.timezone, prices, customerTags: new Map(), events };
    await expectModel(project, model, 0);

    // More events of the same calls while the days are rebuilt for another timezone.
    const [more] = await Promise.all([post(project, later, ids), changeTimezone(project, newTimezone)]);
    const moved = { ...model, timezone: newTimezone, events: [...events, ...more] };
    await expectModel(project, moved, 1);
    if (isLong) {
      await rebuildProject(project);
      await expectModel(project, moved, 2);
    }

    // The newest override wins. Past calls get its price only when they are repriced.
    await setPrices(project, doubled);
    await expectModel(project, moved, 3);
    await repriceDays(project, { ...wholeRange, dry_run: false });
    const repriced = { ...moved, prices: doubled };
    await expectModel(project, repriced, 4);
    await rebuildProject(project);
    await expectModel(project, repriced, 5);
  });
});
