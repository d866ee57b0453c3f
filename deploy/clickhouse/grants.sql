-- The user of Farthing with what it needs and no more. Run it once as an administrator, on a cluster with
-- ON CLUSTER '<cluster>' after each CREATE … <name> and each GRANT; leave out the parts of a cluster on a server alone. Change the password.

CREATE DATABASE IF NOT EXISTS farthing;
CREATE USER IF NOT EXISTS farthing IDENTIFIED WITH sha256_password BY 'change-me' DEFAULT DATABASE farthing;

-- The tables: made and changed by migrations, filled, read, and deleted from by erasures, purges, retention and clean-ups;
-- TRUNCATE is for `farthing restore` and `farthing move`.
GRANT CREATE TABLE, DROP TABLE, INSERT, SELECT, ALTER DELETE, ALTER UPDATE, ALTER SETTINGS, ALTER ADD COLUMN, ALTER MODIFY COLUMN, TRUNCATE ON farthing.* TO farthing;
-- Asked for only where `table_engines_require_grant` is on, as in the configuration that ClickHouse comes with.
GRANT TABLE ENGINE ON MergeTree, TABLE ENGINE ON ReplacingMergeTree, TABLE ENGINE ON AggregatingMergeTree TO farthing;
-- Which deletions are under way.
GRANT SELECT ON system.mutations TO farthing;
-- What `farthing doctor` judges.
GRANT SELECT ON system.parts TO farthing;
GRANT SELECT ON system.detached_parts TO farthing;
GRANT SELECT ON system.disks TO farthing;

-- A cluster: the replicated tables, the Distributed ones over them, and statements to all hosts.
CREATE DATABASE IF NOT EXISTS farthing_local;
GRANT CREATE TABLE, DROP TABLE, INSERT, SELECT, ALTER DELETE, ALTER UPDATE, ALTER SETTINGS, ALTER ADD COLUMN, ALTER MODIFY COLUMN, TRUNCATE, SYSTEM SYNC REPLICA ON farthing_local.* TO farthing;
GRANT TABLE ENGINE ON ReplicatedMergeTree, TABLE ENGINE ON ReplicatedReplacingMergeTree, TABLE ENGINE ON ReplicatedAggregatingMergeTree, TABLE ENGINE ON Distributed TO farthing;
GRANT CLUSTER, REMOTE ON *.* TO farthing;

-- Only for scripts/verify-cluster.ts, which looks at more than the service does.
GRANT SELECT ON system.clusters TO farthing;
GRANT SELECT ON system.macros TO farthing;
GRANT SELECT ON system.tables TO farthing;
GRANT SELECT ON system.one TO farthing;
