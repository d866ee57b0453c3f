import { callTables } from './tables/calls.ts';
import { eventTables } from './tables/events.ts';
import { rollupTables } from './tables/rollups.ts';

export interface StoreMigration {
  /** Begins with a number of four digits; ids are in this order. */
  readonly id: string;
  readonly statements: readonly string[];
}

/**
 * The history of the analytic store's schema, forward only: a released migration never changes. It runs again after a start
 * that was cut off, or if its record is lost, even after later ones. So every statement must be repeatable, and the name of
 * a dropped table or column is never used again.
 */
export const storeMigrations: readonly StoreMigration[] = [
  { id: '0001_baseline', statements: [...eventTables, ...callTables, ...rollupTables] },
];
