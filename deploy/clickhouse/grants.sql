-- The user of Farthing with what it needs and no more. Run it once as an administrator, on a cluster with
-- ON CLUSTER '<cluster>' after each name; leave out the parts of a cluster on a server alone. Change the password.

CREATE DATABASE IF NOT EXISTS farthing;
CREATE USER IF NOT EXISTS farthing IDENTIFIED WITH sha256_password BY 'change-me' DEFAULT DATABASE farthing;

-- The tables: made and changed by migrations, filled, read, and deleted from by erasures, purges, retention and clean-ups;
-- TRUNCATE is for `farthing restore` and `farthing move`.
GRANT CREATE TABLE, DROP TABLE, INSERT, SELECT, ALTER DELETE, ALTER UPDATE, ALTER SETTINGS, TRUNCATE ON farthing.* TO farthing;
-- Which deletions are under way.
GRANT SELECT ON system.mutations TO farthing;

-- A cluster: the replicated tables, the Distributed ones over them, and statements to all hosts.
CREATE DATABASE IF NOT EXISTS farthing_local;
GRANT CREATE TABLE, DROP TABLE, INSERT, SELECT, ALTER DELETE, ALTER UPDATE, ALTER SETTINGS, TRUNCATE, SYSTEM SYNC REPLICA ON farthing_local.* TO farthing;
GRANT CLUSTER, REMOTE, TABLE ENGINE ON * TO farthing;

-- Only for scripts/verify-cluster.ts, which looks at more than the service does.
GRANT SELECT ON system.clusters TO farthing;
GRANT SELECT ON system.macros TO farthing;
GRANT SELECT ON system.tables TO farthing;
GRANT SELECT ON system.one TO farthing;
