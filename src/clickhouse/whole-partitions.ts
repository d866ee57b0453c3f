/**
 * How long nothing was written to a partition of rollups before its parts become one, in seconds. A day is sealed at
 * once, and then rests.
 */
const restSeconds = 600;

/**
 * Rollups are written once a day and read by every question, which reads each part by itself. So the parts of a
 * partition are merged into one, which the usual choice of merges does not do (docs/decisions/0025).
 */
export const mergeWholePartitions: readonly string[] = ['narrow_cells', 'cells', 'customer_cells', 'run_cells'].map(
  (table) =>
    `ALTER TABLE ${table} MODIFY SETTING min_age_to_force_merge_seconds = ${restSeconds}, min_age_to_force_merge_on_partition_only = 1`,
);
