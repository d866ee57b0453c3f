// A migration of the analytic store that a later release could bring, with a statement of every kind.
import { type StoreMigration, storeMigrations } from '../../src/storage/analytic/schema.ts';

const later: StoreMigration = {
  id: '9999_made_up',
  statements: [
    `CREATE TABLE IF NOT EXISTS made_up (
      project LowCardinality(String),
      event_id UUID,
      note String
    )
    ENGINE = ReplacingMergeTree
    ORDER BY (project, event_id)
    SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
    'ALTER TABLE calls ADD COLUMN IF NOT EXISTS made_up UInt64 DEFAULT 7 CODEC(ZSTD(1))',
    'ALTER TABLE calls ADD INDEX IF NOT EXISTS made_up_range made_up TYPE minmax GRANULARITY 1',
    'ALTER TABLE calls MODIFY COLUMN unpriced_reason String',
    'ALTER TABLE calls MODIFY COLUMN run CODEC(ZSTD(3)), MODIFY COLUMN cost CODEC(ZSTD(1))',
    'ALTER TABLE calls MODIFY SETTING merge_selector_base = 8',
    'DROP TABLE IF EXISTS late_events',
  ],
};

/** The migrations of that release. */
export const laterMigrations: readonly StoreMigration[] = [...storeMigrations, later];
