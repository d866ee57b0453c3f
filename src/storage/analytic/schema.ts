import { callTables } from './tables/calls.ts';
import { eventTables } from './tables/events.ts';
import { rollupTables } from './tables/rollups.ts';

export interface StoreMigration {
  /** Begins with a number of four digits; ids are in this order. */
  readonly id: string;
  readonly statements: readonly string[];
}

/**
 * The history of the analytic store's schema, forward only: a released migration never changes. It runs again when a start
 * was cut off or its record is lost, also after later ones. So every statement must be repeatable, and what was dropped
 * is never made anew under its name.
 */
export const storeMigrations: readonly StoreMigration[] = [
  { id: '0001_baseline', statements: [...eventTables, ...callTables, ...rollupTables] },
];
