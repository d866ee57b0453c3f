import { sql } from 'kysely';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { parseJson } from '../../lib/json.ts';
import { formatMoney, parseMoney } from '../../lib/money.ts';
import { type ControlQueries, type ControlStore, lockProject } from '../../storage/control/control-store.ts';
import type { CreditGrantRow } from '../../storage/control/schema/schema.ts';
import type { CreditTerms } from './burn-down.ts';

export const maxGrants = 1_000;
/** The most characters that the names of models of all grants of a project have, as JSON. */
export const maxModelNames = 200_000;

/** A free credit grant of a project (D7.1). */
export interface CreditGrant extends CreditTerms {
  readonly name: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The grants of a project in the order of their creation. */
export async function readGrants(control: ControlQueries, projectId: string): Promise<CreditGrant[]> {
  const rows = await control
    .selectFrom('credit_grants')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id')
    .execute();
  return rows.map(toGrant);
}

/** Adds a grant. Null, and nothing is added, when the project would have more than `maxGrants` or `maxModelNames`. */
export async function addGrant(
  { control, clock }: { readonly control: ControlStore; readonly clock: Clock },
  projectId: string,
  grant: Omit<CreditGrant, 'id' | 'createdAt'>,
): Promise<CreditGrant | null> {
  const made: CreditGrant = { ...grant, id: newId('grt'), createdAt: clock() };
  const hasRoom = await control.transaction().execute(async (transaction) => {
    await lockProject(transaction, projectId);
    const { count, named } = await transaction
      .selectFrom('credit_grants')
      .select((row) => [row.fn.countAll().as('count'), sql<number | null>`sum(length(models))`.as('named')])
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow();
    const models = made.models && JSON.stringify(made.models);
    if (Number(count) >= maxGrants || Number(named) + (models?.length ?? 0) > maxModelNames) return false;
    const row: CreditGrantRow = {
      id: made.id,
      project_id: projectId,
      name: made.name,
      provider: made.provider,
      models,
      amount: formatMoney(made.amount),
      starts_on: made.startsOn,
      expires_on: made.expiresOn,
      priority: made.priority,
      created_at: made.createdAt,
    };
    await transaction.insertInto('credit_grants').values(row).execute();
    return true;
  });
  return hasRoom ? made : null;
}

/** @throws Error when the stored amount is no amount */
export function toGrant(row: CreditGrantRow): CreditGrant {
  const amount = parseMoney(row.amount);
  if (amount === null) throw new Error(`The credit grant ${row.id} has an unreadable amount`);
  return {
    id: row.id,
    name: row.name,
    provider: row.provider,
    models: row.models === null ? null : (parseJson(row.models) as string[]),
    amount,
    startsOn: row.starts_on,
    expiresOn: row.expires_on,
    priority: row.priority,
    createdAt: row.created_at,
  };
}
