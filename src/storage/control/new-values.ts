import { sql } from 'kysely';

/** For `doUpdateSet`: these columns of a stored row take the values of the row that is inserted again. */
export const newValues = <Column extends string>(...columns: readonly Column[]) =>
  // Each value has the type of its own column, which the compiler does not relate.
  Object.fromEntries(columns.map((column) => [column, sql.ref(`excluded.${column}`)])) as Record<Column, never>;
