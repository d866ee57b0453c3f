/** Every table that holds data of projects. */
export const projectTables = [
  ...(['events', 'event_ids', 'report_keys', 'event_contents', 'condensed_ids', 'late_events', 'erased_ids'] as const),
  ...(['calls', 'narrow_cells', 'cells', 'customer_cells', 'tag_cells', 'run_cells', 'runs', 'crossing_runs'] as const),
  ...(['frozen_pieces', 'frozen_readings'] as const),
];
