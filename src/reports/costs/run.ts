import { z } from 'zod';
import type { Generations } from '../../calls/generations.ts';
import { moneyField, quotientField, rowDays, sharedCostField } from '../../lib/http/row-fields.ts';
import { calcAverage, toJsonNumber, widen, wideToJsonNumber } from '../../lib/money.ts';
import { callGroupFields, tagOfCalls } from '../asking/group.ts';
import { type Page, type PagePlan, toPeriodPage } from '../asking/page.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { readGenerationsOfRuns, readGenerationsOfTag } from '../asking/tag-seals.ts';
import type { AsOf } from '../facts/as-of.ts';
import type { CostsQuestion } from './parse.ts';
import { readCalls, readGrainCells, readRuns } from './read.ts';
import type { CostsRecord } from './records.ts';
import { readWithShares } from './shares.ts';
import { chooseSource } from './source.ts';

export const costRow = z.object({
  ...rowDays,
  ...callGroupFields,
  cost: moneyField('USD; the nearest double of the exact sum.'),
  shared_cost: sharedCostField,
  avg_feature_run_cost: quotientField('USD, gross: the average over the feature runs of the row.'),
  max_feature_run_cost: moneyField('USD, gross: the largest of the feature runs of the row.'),
});

export async function runCosts(
  asOf: AsOf,
  question: CostsQuestion,
  plan: PagePlan,
  sources: AnswerSources,
): Promise<Page<z.input<typeof costRow>>> {
  const records = await readCostRecords(asOf, question, plan, sources);
  if (!question.includeShared) return toPeriodPage(plan, question, records, toCosts);
  const shared = await readWithShares(asOf, question, plan, records, sources);
  return toPeriodPage(plan, question, shared, (row) => {
    const { shared: amount = 0n } = row?.shares ?? {};
    const own = toCosts(row?.record);
    return {
      ...own,
      cost: wideToJsonNumber((row?.record?.cost ?? 0n) + widen(amount)),
      shared_cost: toJsonNumber(amount),
    };
  });
}

/** Reads the records of a page as planned, whose money is exact. */
export async function readCostRecords(
  asOf: AsOf,
  question: CostsQuestion,
  plan: PagePlan,
  sources: AnswerSources,
): Promise<readonly CostsRecord[]> {
  const ofTag = await readGenerationsOf(asOf, question, plan, sources);
  const wanted = { asOf: ofTag ? { ...asOf, generations: ofTag } : asOf, question, plan, sources };
  const source = chooseSource(question, asOf.generations, ofTag !== undefined);
  const scope = { projectId: asOf.project.id, period: plan.range, generations: asOf.generations };
  switch (source.of) {
    case 'cells':
      return await readGrainCells(wanted, source);
    case 'runs': {
      const generations = source.grain === 'tag' ? await readGenerationsOfRuns(sources.answerCache, scope) : undefined;
      return await readRuns({ ...wanted, asOf: generations ? { ...asOf, generations } : asOf }, source);
    }
    case 'calls':
      return await readCalls({ ...wanted, asOf });
  }
}

/** The generations for a question by a tag of calls that cells can answer; otherwise undefined. */
export async function readGenerationsOf(
  { project, generations }: AsOf,
  { groupBy, filters }: CostsQuestion,
  { range }: PagePlan,
  { answerCache }: Pick<AnswerSources, 'answerCache'>,
): Promise<Generations | undefined> {
  const tag = tagOfCalls(groupBy);
  if (!tag || filters.runTags) return undefined;
  return await readGenerationsOfTag(answerCache, { projectId: project.id, period: range, generations }, tag.key);
}

const toCosts = ({ cost = 0n, runCost = 0n, runs = 0, maxRunCost = 0n }: Partial<CostsRecord> = {}) => ({
  cost: wideToJsonNumber(cost),
  avg_feature_run_cost: runs === 0 ? 0 : calcAverage(runCost, runs),
  max_feature_run_cost: toJsonNumber(maxRunCost),
});
