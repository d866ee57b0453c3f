/**
 * The same schema on a cluster: each table is a replicated one on every shard, in a database of its own, and a Distributed
 * one over it that has the table's name. Statements stay as they are; what defines or deletes goes to the replicated tables.
 */
export interface Cluster {
  /** As in `remote_servers` of the servers' configuration. */
  readonly name: string;
  /** The database that the client is in, with the Distributed tables. */
  readonly database: string;
}

/** The database with the replicated tables. */
export const localDatabase = ({ database }: Cluster): string => `${database}_local`;

/**
 * What decides on which shard a row is. All events of a call, its ids and its rows are on one, so that merging the events of
 * an id, `FINAL`, and the first of repeated events need no other shard. Cells and runs go by project.
 */
const shardedByCall: ReadonlySet<string> = new Set(['events', 'event_ids', 'calls', 'erased_ids']);
const shardingKey = (table: string): string =>
  shardedByCall.has(table) ? 'sipHash64(project, event_id)' : table === 'migrations' ? '0' : 'sipHash64(project)';

/** The tokens of this many inserts are known, and for so many seconds. */
const deduplicationWindow = 'replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800';

const quoted = (name: string): string => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** The statements that do on a cluster what one that defines, alters or drops a table does on a server. */
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

  const reshaped = /^ALTER TABLE (\w+) (?=(?:ADD|MODIFY) COLUMN )/.exec(statement);
  if (reshaped) {
    // The shards first: a table over all of them has no column that one does not have.
    return [local, quoted(cluster.database)].map((database) =>
      statement.replace(reshaped[0], `ALTER TABLE ${database}.${reshaped[1]} ${all} `),
    );
  }

  const altered = /^ALTER TABLE (\w+) (DELETE|UPDATE|MODIFY SETTING) /.exec(statement);
  if (altered) {
    // Whatever it goes by must be on every replica that carries it out.
    const read = [...statement.matchAll(/\bFROM (\w+)/g)].map(([, table]) => table);
    return [
      ...new Set(read.map((table) => `SYSTEM SYNC REPLICA ${all} ${local}.${table}`)),
      statement
        .replace(altered[0], `ALTER TABLE ${local}.${altered[1]} ${all} ${altered[2]} `)
        .replace(/non_replicated_deduplication_window = \d+/, deduplicationWindow),
    ];
  }
  if (/^(CREATE|DROP|ALTER|TRUNCATE|RENAME|OPTIMIZE) /.test(statement)) {
    throw new Error(`Not known on a cluster: ${statement.slice(0, 80)}`);
  }
  return [statement];
}

/** A SELECT that looks at deletions under way, parts or disks looks at those of all replicas. */
export function seeingAllReplicas(query: string, cluster: Cluster): string {
  const everywhere = query.replaceAll(
    /FROM (system\.(?:mutations|parts|detached_parts|disks))\b/g,
    (_match, table: string) => `FROM clusterAllReplicas(${text(cluster.name)}, ${table})`,
  );
  if (everywhere === query) return query;
  return everywhere.replaceAll('database = currentDatabase()', `database = ${text(localDatabase(cluster))}`);
}
