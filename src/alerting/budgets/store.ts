import { compareCodePoints } from '../../lib/code-points.ts';
import { parseJson } from '../../lib/json.ts';
import { formatMoney, parseMoney } from '../../lib/money.ts';
import {
  type ControlQueries,
  type ControlSources,
  findRow,
  putRows,
  withProjectLock,
} from '../../storage/control/control-store.ts';
import type { BudgetRow } from '../../storage/control/schema/schema.ts';
import type { Budget, BudgetDefinition, BudgetScope } from './budget.ts';

/** The most budgets of a project: every refresh of what is spent reads all of them. */
export const maxBudgets = 200;

/** The budgets of a project, by name in code-point order. */
export async function readBudgets(control: ControlQueries, projectId: string): Promise<Budget[]> {
  const rows = await control.selectFrom('budgets').selectAll().where('project_id', '=', projectId).execute();
  return rows.map(toBudget).sort((a, b) => compareCodePoints(a.name, b.name));
}

/** One budget of a project, or undefined. */
export async function readBudget(
  control: ControlQueries,
  projectId: string,
  name: string,
): Promise<Budget | undefined> {
  const row = await findRow(control, 'budgets', { project_id: projectId, name });
  return row && toBudget(row);
}

export type PutResult =
  | { readonly ok: true; readonly budget: Budget; readonly isNew: boolean }
  | { readonly ok: false; readonly reason: 'too_many' | 'exists' };

/** Refused when there would be more than `maxBudgets`, and when the name exists and must not be replaced. */
export async function putBudget(
  { control, clock }: ControlSources,
  projectId: string,
  { name, definition, replaces }: { name: string; definition: BudgetDefinition; replaces: boolean },
): Promise<PutResult> {
  return await withProjectLock(control, projectId, async (transaction): Promise<PutResult> => {
    const budgets = await readBudgets(transaction, projectId);
    const known = budgets.find((budget) => budget.name === name);
    if (known && !replaces) return { ok: false, reason: 'exists' };
    if (!known && budgets.length >= maxBudgets) return { ok: false, reason: 'too_many' };
    // Replacing a budget within one millisecond must change its time too.
    const now = Math.max(clock(), (known?.updatedAt ?? 0) + 1);
    const budget: Budget = { ...definition, name, createdAt: known?.createdAt ?? now, updatedAt: now };
    await putRows(transaction, 'budgets', ['project_id', 'name'], [toRow(projectId, budget)]);
    return { ok: true, budget, isNew: !known };
  });
}

const toRow = (projectId: string, budget: Budget): BudgetRow => ({
  project_id: projectId,
  name: budget.name,
  amount: formatMoney(budget.amount),
  period: budget.period,
  scope: JSON.stringify(budget.scope),
  each_of: budget.each ?? null,
  thresholds: JSON.stringify(budget.thresholds),
  apply_credits: budget.applyCredits ? 1 : 0,
  created_at: budget.createdAt,
  updated_at: budget.updatedAt,
});

function toBudget(row: BudgetRow): Budget {
  const amount = parseMoney(row.amount);
  if (amount === null) throw new Error(`The budget ${row.name} has an unreadable amount`);
  return {
    name: row.name,
    amount,
    period: row.period,
    scope: parseJson(row.scope) as BudgetScope,
    each: row.each_of ?? undefined,
    thresholds: parseJson(row.thresholds) as number[],
    applyCredits: row.apply_credits === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
