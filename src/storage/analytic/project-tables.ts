/** Every table that holds data of projects. */
export const projectTables = [
  'events',
  'event_ids',
  'report_keys',
  'calls',
  'erased_ids',
  'narrow_cells',
  'cells',
  'customer_cells',
  'run_cells',
  'runs',
  'crossing_runs',
  'frozen_pieces',
  'frozen_readings',
  'late_events',
  'event_readings',
  'condensed_ids',
] as const;
