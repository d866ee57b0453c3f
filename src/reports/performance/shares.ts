import type { KeyMetric } from '../../accounts/key-metrics/key-metrics.ts';
import { valueOfGroup } from '../asking/group.ts';
import type { PagePlan } from '../asking/page.ts';
import { periodOfCall } from '../asking/period-sql.ts';
import { joinPeriods } from '../asking/periods.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { readUsed, whereUsed } from '../asking/used-features.ts';
import { all } from '../asking/where.ts';
import type { AsOf } from '../facts/as-of.ts';
import { readShares, type SharesRecord } from '../shared-costs/read-shares.ts';
import type { PerformanceQuestion } from './parse.ts';
import { whereUsers } from './selections.ts';

/** What the kept users of a page have of the shared costs, also by the features of key metrics. */
export async function readPerformanceShares(
  asOf: AsOf,
  { filters, groupBy, isGrouped }: PerformanceQuestion,
  plan: PagePlan,
  metrics: readonly KeyMetric[],
  sources: Pick<AnswerSources, 'answerCache'>,
): Promise<SharesRecord[]> {
  const { project, generations, facts } = asOf;
  const period = joinPeriods(plan.periods);
  if (!period) return [];
  const used = filters.features && readUsed({ projectId: project.id, period, generations }, 'user', filters.features);
  const call = periodOfCall(plan.periods);
  const ofUsers = await whereUsers(facts, filters);
  const features = [...new Set(metrics.flatMap((metric) => metric.features ?? []))];
  return await readShares(sources, asOf, {
    plan,
    value: await valueOfGroup(facts, groupBy),
    where: all([...ofUsers, ...(used ? [whereUsed(used, 'user', call, call.sql)] : [])]),
    dimensions: new Set([
      ...(isGrouped || ofUsers.length > 0 || used ? (['user'] as const) : []),
      ...(features.length > 0 ? (['feature'] as const) : []),
    ]),
    cells: used ? [used] : [],
    features,
  });
}
