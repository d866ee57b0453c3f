-- Creates Farthing's user with the least privileges. Change the password, then run this once as an administrator. On a cluster, add
-- ON CLUSTER '<cluster>' after each CREATE … <name> and each GRANT. On a single server, leave out the cluster's statements.

CREATE DATABASE IF NOT EXISTS farthing;
CREATE USER IF NOT EXISTS farthing IDENTIFIED WITH sha256_password BY 'change-me' DEFAULT DATABASE farthing;

-- Tables: migrations create and alter them; erasures, purges, retention and clean-ups delete rows.
-- TRUNCATE is for `farthing restore` and `farthing move`.
GRANT CREATE TABLE, DROP TABLE, INSERT, SELECT, ALTER DELETE, ALTER UPDATE, ALTER SETTINGS, ALTER ADD COLUMN, ALTER MODIFY COLUMN, ALTER ADD INDEX, TRUNCATE ON farthing.* TO farthing;
-- Needed only with `table_engines_require_grant`, which ClickHouse's default configuration sets.
GRANT TABLE ENGINE ON MergeTree, TABLE ENGINE ON ReplacingMergeTree, TABLE ENGINE ON AggregatingMergeTree TO farthing;
-- Running deletions.
GRANT SELECT ON system.mutations TO farthing;
-- For `farthing doctor`.
GRANT SELECT ON system.parts TO farthing;
GRANT SELECT ON system.detached_parts TO farthing;
GRANT SELECT ON system.disks TO farthing;

-- For a cluster: replicated tables, Distributed tables over them, and statements on all hosts.
CREATE DATABASE IF NOT EXISTS farthing_local;
GRANT CREATE TABLE, DROP TABLE, INSERT, SELECT, ALTER DELETE, ALTER UPDATE, ALTER SETTINGS, ALTER ADD COLUMN, ALTER MODIFY COLUMN, ALTER ADD INDEX, TRUNCATE, SYSTEM SYNC REPLICA ON farthing_local.* TO farthing;
GRANT TABLE ENGINE ON ReplicatedMergeTree, TABLE ENGINE ON ReplicatedReplacingMergeTree, TABLE ENGINE ON ReplicatedAggregatingMergeTree, TABLE ENGINE ON Distributed TO farthing;
GRANT CLUSTER, REMOTE ON *.* TO farthing;

-- Only for scripts/verify-cluster.ts, which reads more than the service does.
GRANT SELECT ON system.clusters TO farthing;
GRANT SELECT ON system.macros TO farthing;
GRANT SELECT ON system.tables TO farthing;
GRANT SELECT ON system.one TO farthing;
