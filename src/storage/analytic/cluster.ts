/**
 * The schema on a cluster. Each table consists of a replicated table on every shard, in the database `…_local`, and a
 * Distributed table of the same name over it. SELECTs and INSERTs stay as they are. Statements that define tables or
 * delete rows go to the replicated tables.
 */
export interface Cluster {
  /** As in `remote_servers` of the servers' configuration. */
  readonly name: string;
  /** The client's database, with the Distributed tables. */
  readonly database: string;
}

/** The database with the replicated tables. */
export const localDatabase = ({ database }: Cluster): string => `${database}_local`;

/**
 * Tables sharded by event id. All events, ids and rows of a call are on one shard, so no other shard is needed to merge
 * the events of an id, for `FINAL`, or to find the first of repeated events. Cells and runs are sharded by project.
 */
const shardedByCall: ReadonlySet<string> = new Set([
  ...['events', 'event_ids', 'condensed_ids', 'calls', 'erased_ids', 'event_contents'],
]);
const shardingKey = (table: string): string =>
  shardedByCall.has(table) ? 'sipHash64(project, event_id)' : table === 'migrations' ? '0' : 'sipHash64(project)';

/** How many insert tokens the server remembers, and for how many seconds. */
const deduplicationWindow = 'replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800';

const quoted = (name: string): string => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/**
 * Translates a statement that defines, alters or drops a table to those for a cluster. Any other one stays as it is.
 * @throws Error for such a statement in a form that it does not know
 */
export function onCluster(statement: string, cluster: Cluster): string[] {
  const local = quoted(localDatabase(cluster));
  const all = `ON CLUSTER ${text(cluster.name)}`;

  const created = /^CREATE TABLE IF NOT EXISTS (\w+) /.exec(statement);
  if (created?.[1]) {
    const table = created[1];
    const replicated = statement
      .replace(created[0], `CREATE TABLE IF NOT EXISTS ${local}.${table} ${all} `)
      .replace(
        /ENGINE = (\w*MergeTree)(?:\(([^)]*)\))?/,
        (_match, engine: string, columns?: string) =>
          `ENGINE = Replicated${engine}('/clickhouse/tables/{database}/{table}/{shard}', '{replica}'${columns ? `, ${columns}` : ''})`,
      )
      .replace(/non_replicated_deduplication_window = \d+/, deduplicationWindow);
    const distributed = `CREATE TABLE IF NOT EXISTS ${quoted(cluster.database)}.${table} ${all} AS ${local}.${table}
      ENGINE = Distributed(${text(cluster.name)}, ${text(localDatabase(cluster))}, ${table}, ${shardingKey(table)})`;
    return [replicated, distributed];
  }

  const dropped = /^DROP TABLE IF EXISTS (\w+)$/.exec(statement);
  if (dropped) {
    const table = dropped[1];
    return [
      `DROP TABLE IF EXISTS ${quoted(cluster.database)}.${table} ${all} SYNC`,
      `DROP TABLE IF EXISTS ${local}.${table} ${all} SYNC`,
    ];
  }

  const truncated = /^TRUNCATE TABLE (\w+)$/.exec(statement);
  if (truncated) return [`TRUNCATE TABLE ${local}.${truncated[1]} ${all}`];

  // A Distributed table has no rows to index or compress.
  const stored = /^ALTER TABLE (\w+) (?=ADD INDEX |MODIFY COLUMN \w+ CODEC\()/.exec(statement);
  if (stored) return [statement.replace(stored[0], `ALTER TABLE ${local}.${stored[1]} ${all} `)];

  const reshaped = /^ALTER TABLE (\w+) (?=(?:ADD|MODIFY) COLUMN )/.exec(statement);
  if (reshaped) {
    // The shards first: a Distributed table must not have a column that a shard lacks.
    return [local, quoted(cluster.database)].map((database) =>
      statement.replace(reshaped[0], `ALTER TABLE ${database}.${reshaped[1]} ${all} `),
    );
  }

  const altered = /^ALTER TABLE (\w+) (DELETE|UPDATE|MODIFY SETTING) /.exec(statement);
  if (altered) {
    // Rows that the condition reads must be on every replica that executes it.
    const read = [...statement.matchAll(/\bFROM (\w+)/g)].map(([, table]) => table);
    return [
      ...new Set(read.map((table) => `SYSTEM SYNC REPLICA ${all} ${local}.${table}`)),
      statement
        .replace(altered[0], `ALTER TABLE ${local}.${altered[1]} ${all} ${altered[2]} `)
        .replace(/non_replicated_deduplication_window = \d+/, deduplicationWindow),
    ];
  }
  if (/^(CREATE|DROP|ALTER|TRUNCATE|RENAME|OPTIMIZE) /.test(statement)) {
    throw new Error(`This statement is not supported on a cluster: ${statement.slice(0, 80)}`);
  }
  return [statement];
}

/** Rewrites a SELECT on the `system` tables of mutations, parts or disks to read them on all replicas. */
export function seeingAllReplicas(query: string, cluster: Cluster): string {
  const everywhere = query.replaceAll(
    /FROM (system\.(?:mutations|parts|detached_parts|disks))\b/g,
    (_match, table: string) => `FROM clusterAllReplicas(${text(cluster.name)}, ${table})`,
  );
  if (everywhere === query) return query;
  return everywhere.replaceAll('database = currentDatabase()', `database = ${text(localDatabase(cluster))}`);
}
