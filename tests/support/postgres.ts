// One real PostgreSQL server in a temporary directory.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { dataRoot } from './data-root.ts';
import { whenThisProcessEnds } from './leash.ts';
import { poll } from './poll.ts';
import { freePort } from './ports.ts';

const user = 'farthing';

/** The directory of PostgreSQL's programs: Debian's newest, else the one on PATH. */
export function findPostgresPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return places.find((place) => existsSync(join(place, 'initdb')) && existsSync(join(place, 'postgres')));
}

export interface PostgresServer {
  url: string;
  /** Ends every connection, as an administrator or a fail-over does. */
  dropConnections(): Promise<void>;
  /** Kills the server and starts it again; it recovers from its log. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<PostgresServer> {
  const programs = findPostgresPrograms();
  if (programs === undefined) {
    throw new Error(
      'PostgreSQL (initdb, postgres) is neither under /usr/lib/postgresql nor on PATH: apt-get install postgresql',
    );
  }
  const directory = mkdtempSync(join(dataRoot, 'farthing-postgres-'));
  const owner = unprivilegedOwner();
  if (owner) chownSync(directory, owner.uid, owner.gid);
  const data = join(directory, 'data');

  // A linguistic default collation, as most servers have, shows a missing order by code point. ICU brings its own locale; the
  // machine may not have the libc one.
  const locale = ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  const initdb = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', user, '-A', 'trust', '-E', 'UTF8', '--no-sync', ...locale],
    { ...owner, cwd: directory, encoding: 'utf8' },
  );
  if (initdb.status !== 0) throw new Error(`initdb failed: ${initdb.error?.message ?? initdb.stderr}`);

  const port = await freePort();
  const url = `postgres://${user}@127.0.0.1:${port}/postgres`;
  const start = async () => {
    const server = spawn(
      join(programs, 'postgres'),
      ['-D', data, '-p', String(port), '-k', directory, '-c', 'listen_addresses=127.0.0.1'],
      { ...owner, cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let log = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-10_000);
    });
    const letGo = whenThisProcessEnds(`kill -9 "$0"; rm -rf -- '${directory}'`, String(server.pid));
    await poll('PostgreSQL accepts connections', { within: 60_000 }, async () => {
      if (hasEnded(server)) throw new Error(`PostgreSQL ended at start: ${log}`);
      return await runSql(url, 'SELECT 1').then(
        () => true,
        () => undefined,
      );
    });
    return async () => {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      if (!hasEnded(server)) {
        // "Immediate" shutdown: the next start recovers as after a crash.
        server.kill('SIGQUIT');
        await ended;
      }
      letGo();
    };
  };

  let end = await start();
  return {
    url,
    dropConnections: async () =>
      await runSql(url, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid != pg_backend_pid()'),
    restart: async () => {
      await end();
      end = await start();
    },
    stop: async () => {
      await end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Creates an empty database on a running server and returns its URL. */
export async function createDatabase(serverUrl: string): Promise<string> {
  const name = `farthing_${crypto.randomUUID().replaceAll('-', '')}`;
  await runSql(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function hasEnded(server: ChildProcess): boolean {
  return server.exitCode !== null || server.signalCode !== null;
}

/** PostgreSQL refuses to run as root; then it runs as the user that its package created. */
function unprivilegedOwner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' });
  const [uid, gid] = [id('-u'), id('-g')];
  if (uid.status !== 0 || gid.status !== 0) {
    throw new Error('PostgreSQL does not run as root and there is no user "postgres": apt-get install postgresql');
  }
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}
