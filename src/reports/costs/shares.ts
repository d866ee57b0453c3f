import { callsOf } from '../../calls/in-force.ts';
import { readCellFilters } from '../asking/call-filters.ts';
import { tagOfCalls, valueOfGroup } from '../asking/group.ts';
import type { PagePlan, PlacedRecord } from '../asking/page.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { all, ofTaggedRuns } from '../asking/where.ts';
import type { AsOf } from '../facts/as-of.ts';
import { joinShares, planShares, type WithShares } from '../shared-costs/join-shares.ts';
import { readShares } from '../shared-costs/read-shares.ts';
import { type CostsQuestion, listDimensions } from './parse.ts';

/** Adds to the rows of a page what their calls get of the shared costs. */
export async function readWithShares<Record extends PlacedRecord>(
  asOf: AsOf,
  question: CostsQuestion,
  plan: PagePlan,
  records: readonly Record[],
  sources: Pick<AnswerSources, 'answerCache'>,
): Promise<WithShares<Record>[]> {
  const { filters, groupBy } = question;
  const { facts, generations } = asOf;
  const { runTags } = filters;
  const ofRuns = runTags && ofTaggedRuns(callsOf(facts.projectId, plan.range, generations), runTags);
  const shares = await readShares(sources, asOf, {
    plan: planShares(plan, records),
    value: await valueOfGroup(facts, groupBy),
    where: all([...(await readCellFilters(facts, filters)), ...(ofRuns ? [ofRuns] : [])]),
    dimensions: ofRuns ? undefined : listDimensions(question),
    tag: tagOfCalls(groupBy),
    readsCalls: ofRuns !== undefined,
  });
  return joinShares(plan, records, shares);
}
