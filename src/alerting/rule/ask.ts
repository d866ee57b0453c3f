import type { Project } from '../../accounts/projects.ts';
import { readGenerations } from '../../calls/generations.ts';
import type { Period } from '../../lib/days.ts';
import { type Page, type PagePlan, planPage } from '../../reports/asking/page.ts';
import { changesBody, parseChanges } from '../../reports/changes/parse.ts';
import { type ChangesSources, runChanges } from '../../reports/changes/run.ts';
import { costsBody, parseCosts } from '../../reports/costs/parse.ts';
import { runCosts } from '../../reports/costs/run.ts';
import { type CallTotals, selectCallTotals } from '../../reports/coverage/sql.ts';
import { readNow } from '../../reports/facts/as-of.ts';
import { marginBody, parseMargin } from '../../reports/margin/parse.ts';
import { runMargin } from '../../reports/margin/run.ts';
import { runUsage } from '../../reports/usage/run.ts';

/** Asks the questions of the routes, so that a rule sees the numbers that its page shows. */

export interface LookContext {
  readonly project: Project;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly sources: ChangesSources;
}

/** The most rows of a page. */
const limit = 1_000;

/** All rows of `POST /api/costs/`. */
export async function askCosts({ project, now, sources }: LookContext, asked: object) {
  const body = costsBody.parse({ ...asked, limit });
  const question = parseCosts('costs', project.id, body);
  return await collectPages(
    (cursor) => planPage(project, question, { ...body, cursor }, now),
    async (plan) => runCosts(await readNow(sources.control, project), question, plan, sources),
  );
}

/** What `POST /api/changes/` answers, or would answer of the first `hours` of the last day of both ranges. */
export async function askChanges({ project, sources }: LookContext, asked: object, hours?: number) {
  const question = parseChanges(changesBody.parse(asked));
  return await runChanges(project, { ...question, ...(hours !== undefined && { hours }) }, sources);
}

/** All rows of `POST /api/usage/`. */
export async function askUsage({ project, now, sources }: LookContext, asked: object) {
  const body = costsBody.parse({ ...asked, limit });
  const question = parseCosts('usage', project.id, body);
  return await collectPages(
    (cursor) => planPage(project, question, { ...body, cursor }, now),
    async (plan) => runUsage(await readNow(sources.control, project), question, plan, sources),
  );
}

/** All rows of `POST /api/margin/`. */
export async function askMargin({ project, now, sources }: LookContext, asked: object) {
  const body = marginBody.parse({ ...asked, limit });
  const question = parseMargin(project.id, body);
  return await collectPages(
    (cursor) => planPage(project, question, { ...body, cursor }, now),
    async (plan) => runMargin(await readNow(sources.control, project), question, plan, sources),
  );
}

/** The calls of each model on these days that were answered, but whose usage nobody reports: no price would price them. */
export async function readUnreported(
  { project, sources }: LookContext,
  period: Period,
): Promise<ReadonlyMap<string, number>> {
  const { store, control } = sources;
  const generations = await readGenerations(control, project.id);
  const { sql, parameters } = selectCallTotals({ projectId: project.id, period, generations });
  const [totals] = await store.select<CallTotals>(sql, parameters);
  const counts = new Map<string, number>();
  for (const [reason, model, , calls] of totals?.unpriced ?? []) {
    if (reason === 'usage_not_reported') counts.set(model, (counts.get(model) ?? 0) + Number(calls));
  }
  return counts;
}

async function collectPages<Row>(
  plan: (cursor: string | undefined) => PagePlan,
  run: (plan: PagePlan) => Promise<Page<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await run(plan(cursor));
    rows.push(...page.rows);
    if (page.next_cursor === null) return rows;
    cursor = page.next_cursor;
  }
}
