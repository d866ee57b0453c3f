import { readCredits } from '../../billing/credits/balances.ts';
import { listInvoices } from '../../billing/invoices/entries.ts';
import { parseReconciliation, reconciliationBody } from '../../billing/invoices/reconciliation/parse.ts';
import { runReconciliation } from '../../billing/invoices/reconciliation/run.ts';
import { addDays, type Day, dayOf, toDayNumber } from '../../lib/days.ts';
import { planPage } from '../../reports/asking/page.ts';
import { readNow } from '../../reports/facts/as-of.ts';
import type { Alternatives } from '../../reports/waste/parse.ts';
import { listDearer, readWasteRecords, toWaste } from '../../reports/waste/run.ts';
import { type Asker, askCosts, askUsage } from '../alerts/ask.ts';
import { readLatePrices } from './late-prices.ts';
import {
  findCreditEnds,
  findInvoicePrices,
  findLatePrices,
  findModelSwaps,
  findUnpricedModels,
  findWaste,
  type ModelUsage,
  type ReconciledModel,
} from './rules.ts';
import { openSmallerModels } from './smaller-model.ts';
import { rankSteps, type Step, type StepDays } from './step.ts';

/** The number of full days, up to yesterday, by which steps are judged. */
const judgedDays = 30;
/** An invoice that ended more days ago says nothing about today's prices. */
const invoiceDays = 62;

/** What is worth doing next, the largest amount first. */
export async function findSteps(asker: Asker): Promise<Step[]> {
  const { project, now, sources } = asker;
  const today = dayOf(project.timezone, now);
  const { keptFrom } = project;
  const first = addDays(today, -judgedDays);
  const days = toDays(keptFrom !== null && keptFrom > first ? keptFrom : first, addDays(today, -1));
  const models = await readModels(asker, days);
  const wasteDays = shorten(
    days,
    models.reduce((sum, { calls }) => sum + calls, 0),
  );
  const { newest: book } = await sources.priceBooks.ofProject(project.id);
  const smallerOf = openSmallerModels(book, days.to);
  const smaller = new Map(
    models.flatMap(({ model }) => {
      const name = smallerOf(model);
      return name === undefined ? [] : [[model, name] as const];
    }),
  );
  const [late, wasted, invoiced, credits] = await Promise.all([
    readLatePrices(asker, days),
    readWaste(asker, wasteDays, smaller),
    readInvoiced(asker, today),
    readCredits(sources, project.id),
  ]);
  return rankSteps([
    ...findUnpricedModels(
      models,
      new Set(late.flatMap(({ model, unpricedCalls }) => (unpricedCalls > 0 ? [model] : []))),
      days,
    ),
    ...findLatePrices(late, days),
    ...findInvoicePrices(invoiced.models, invoiced.days),
    ...findCreditEnds({ ...credits, today }, days),
    ...findWaste(toWaste(wasted, smaller), wasteDays),
    ...findModelSwaps(listDearer(wasted), smaller, wasteDays),
  ]);
}

/** Waste is judged by about this many calls, those of the last days, because it is read call by call. */
const judgedCalls = 100_000;

/** The last of these days, as many as have about `judgedCalls` calls. */
function shorten({ to, count }: StepDays, calls: number): StepDays {
  const days = Math.min(count, Math.max(1, Math.floor((count * judgedCalls) / Math.max(calls, 1))));
  return toDays(addDays(to, 1 - days), to);
}

const toDays = (from: Day, to: Day): StepDays => ({ from, to, count: toDayNumber(to) - toDayNumber(from) + 1 });

const rangeOf = ({ from, to }: StepDays) => ({ date_from: from, date_to: to, aggregate: 'all' });

async function readModels(asker: Asker, days: StepDays): Promise<ModelUsage[]> {
  const asked = { ...rangeOf(days), group_by: 'model' };
  const [usage, costs] = await Promise.all([askUsage(asker, asked), askCosts(asker, asked)]);
  const costOf = new Map(costs.map(({ model = '', cost }) => [model, cost]));
  return usage.map(({ model = '', calls, unpriced_calls: unpricedCalls, tokens }) => ({
    model,
    calls,
    unpricedCalls,
    tokens,
    cost: costOf.get(model) ?? 0,
  }));
}

const everyCall = { values: new Map(), customerTags: undefined, runTags: undefined };

async function readWaste({ project, sources }: Asker, { from, to }: StepDays, alternatives: Alternatives) {
  const asOf = await readNow(sources.control, project);
  const question = { filters: everyCall, alternatives };
  return await readWasteRecords(asOf, question, { dateFrom: from, dateTo: to }, sources);
}

/** The reconciliation of the days of the newest invoice. */
async function readInvoiced(
  { project, now, sources }: Asker,
  today: Day,
): Promise<{ readonly models: readonly ReconciledModel[]; readonly days: StepDays }> {
  const range = { dateFrom: addDays(today, -invoiceDays), dateTo: addDays(today, -1) };
  const entries = (await listInvoices(sources.control, project.id, { provider: undefined, ...range })).filter(
    ({ kind }) => kind === 'usage',
  );
  const newest = entries
    .map(({ dateTo }) => dateTo)
    .sort()
    .at(-1);
  if (newest === undefined) return { models: [], days: toDays(today, today) };
  const last = newest < today ? newest : range.dateTo;
  const earliest = addDays(last, 1 - judgedDays);
  const firsts = entries.map(({ dateFrom }) => dateFrom).sort();
  const days = toDays(firsts[0] !== undefined && firsts[0] > earliest ? firsts[0] : earliest, last);
  const body = reconciliationBody.parse({ ...rangeOf(days), group_by: 'model', limit: 1_000 });
  const question = parseReconciliation(project.id, body);
  const { rows } = await runReconciliation(
    await readNow(sources.control, project),
    question,
    planPage(project, question, body, now),
    sources,
  );
  return { models: rows.map(({ model = '', parts }) => ({ model, parts })), days };
}
