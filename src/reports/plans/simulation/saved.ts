import { compareCodePoints } from '../../../lib/code-points.ts';
import { parseJson } from '../../../lib/json.ts';
import { type Decimal, formatDecimal } from '../../../lib/money.ts';
import {
  type ControlQueries,
  type ControlSources,
  findRow,
  putRows,
  withProjectLock,
} from '../../../storage/control/control-store.ts';
import type { PlanSimulationRow } from '../../../storage/control/schema/schema.ts';
import type { QuestionBody } from './parse.ts';

/** The most saved simulations of a project, and the most bytes of one: a list of customers takes most. */
export const mostSaved = 100;
export const mostSavedBytes = 65_536;

/** A saved question: a body of the route, with amounts as decimal text. */
export interface StoredSimulation {
  readonly date_from: string;
  readonly date_to?: string | undefined;
  readonly plans: readonly StoredPlan[];
  readonly target_margin_pct?: number | undefined;
  readonly apply_credits: boolean;
  readonly include_shared?: boolean | undefined;
}

interface StoredPlan {
  readonly name: string;
  readonly customers: {
    readonly customer_tags?: Readonly<Record<string, readonly string[]>> | undefined;
    readonly names?: readonly string[] | undefined;
  };
  readonly base_per_month: string;
  readonly included?: { readonly unit: string; readonly amount: string } | undefined;
  readonly overage?: { readonly unit: string; readonly price: string } | undefined;
  readonly markup_pct?: string | undefined;
}

export interface SavedSimulation {
  readonly name: string;
  readonly question: StoredSimulation;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The question as JSON text. `fromEntries` defines own properties, so `__proto__` is an ordinary key. */
export const spellQuestion = ({ plans, ...rest }: QuestionBody): string =>
  JSON.stringify({
    ...rest,
    plans: plans.map(
      ({ customers: { customer_tags: tags, names }, included, overage, markup_pct: markup, ...plan }) => ({
        ...plan,
        customers: { customer_tags: tags && Object.fromEntries(tags), names },
        base_per_month: formatDecimal(plan.base_per_month),
        included: included && { ...included, amount: formatDecimal(included.amount) },
        overage: overage && { ...overage, price: formatDecimal(overage.price) },
        markup_pct: textOf(markup),
      }),
    ),
  } satisfies StoredSimulation);

const textOf = (amount: Decimal | undefined): string | undefined => amount && formatDecimal(amount);

/** The saved simulations of a project, by name in code-point order. */
export async function readSaved(control: ControlQueries, projectId: string): Promise<SavedSimulation[]> {
  const rows = await control.selectFrom('plan_simulations').selectAll().where('project_id', '=', projectId).execute();
  return rows.map(toSaved).sort((a, b) => compareCodePoints(a.name, b.name));
}

export async function findSaved(
  control: ControlQueries,
  projectId: string,
  name: string,
): Promise<SavedSimulation | undefined> {
  const row = await findRow(control, 'plan_simulations', { project_id: projectId, name });
  return row && toSaved(row);
}

/** Saves a question, or replaces the one of this name. Undefined when the project would have more than `mostSaved`. */
export async function saveSimulation(
  { control, clock }: ControlSources,
  projectId: string,
  { name, question }: { readonly name: string; readonly question: string },
): Promise<{ readonly saved: SavedSimulation; readonly isNew: boolean } | undefined> {
  return await withProjectLock(control, projectId, async (transaction) => {
    const names = await transaction
      .selectFrom('plan_simulations')
      .select(['name', 'created_at'])
      .where('project_id', '=', projectId)
      .execute();
    const known = names.find((row) => row.name === name);
    if (!known && names.length >= mostSaved) return undefined;
    const now = clock();
    const row = { project_id: projectId, name, question, created_at: known?.created_at ?? now, updated_at: now };
    await putRows(transaction, 'plan_simulations', ['project_id', 'name'], [row]);
    return { saved: toSaved(row), isNew: !known };
  });
}

/** Takes a customer out of saved simulations: plans that named nobody else go, and simulations without plans. */
export async function eraseFromSaved(transaction: ControlQueries, projectId: string, customer: string): Promise<void> {
  for (const { name, question } of await readSaved(transaction, projectId)) {
    if (!question.plans.some(({ customers }) => customers.names?.includes(customer))) continue;
    const plans = question.plans
      .map((plan) => ({ ...plan, customers: withoutName(plan.customers, customer) }))
      .filter(({ customers }) => customers.names?.length !== 0);
    const row = { project_id: projectId, name };
    if (plans.length === 0)
      await transaction
        .deleteFrom('plan_simulations')
        .where((saved) => saved.and(row))
        .execute();
    else {
      await transaction
        .updateTable('plan_simulations')
        .set({ question: JSON.stringify({ ...question, plans }) })
        .where((saved) => saved.and(row))
        .execute();
    }
  }
}

const withoutName = ({ names, ...customers }: StoredPlan['customers'], customer: string): StoredPlan['customers'] => ({
  ...customers,
  names: names?.filter((name) => name !== customer),
});

const toSaved = ({ name, question, created_at, updated_at }: PlanSimulationRow): SavedSimulation => ({
  name,
  question: parseJson(question) as StoredSimulation,
  createdAt: created_at,
  updatedAt: updated_at,
});
