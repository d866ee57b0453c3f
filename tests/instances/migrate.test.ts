import { rmSync } from 'node:fs';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import '../support/provided.ts';
import { controlMigrations } from '../../src/storage/control/migrations.ts';
import { isLong, usualOrLong } from '../support/effort.ts';
import { freePort } from '../support/ports.ts';
import { createDatabase } from '../support/postgres.ts';
import { launchService, makeDataDir, startEngine, startService } from '../support/service.ts';

test('farthing migrate makes the schema of both stores once, however many do it at once, and ends', async () => {
  const engineDir = makeDataDir();
  const others = Array.from({ length: usualOrLong(2, 3) }, makeDataDir);
  const engine = await startEngine({
    dataDir: engineDir,
    port: await freePort(),
    token: 'token-of-the-engine-0123456789',
  });
  try {
    const postgresUrl = await createDatabase(inject('postgresUrl'));
    const env = { FARTHING_CLICKHOUSE_URL: engine.url };
    const commands = await Promise.all(
      others.map((dataDir) => launchService({ command: 'migrate', dataDir, postgresUrl, env })),
    );
    for (const command of commands) expect((await command.exited).code, command.output()).toBe(0);
    const { username, password, origin } = new URL(engine.url);
    const answer = await fetch(
      `${origin}/?query=${encodeURIComponent('SELECT count() = uniqExact(id) FROM migrations')}`,
      {
        headers: { authorization: `Basic ${btoa(`${username}:${password}`)}` },
      },
    );
    expect((await answer.text()).trim()).toBe('1');
    const control = new pg.Client({ connectionString: postgresUrl });
    await control.connect();
    const { rows } = await control.query<{ name: string }>('SELECT name FROM kysely_migration ORDER BY name');
    await control.end();
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(controlMigrations('postgres')).toSorted());
    // Usually tests/instances/instances starts services on such stores.
    if (isLong) {
      const service = await startService({ dataDir: makeDataDir(), postgresUrl, env });
      expect((await service.stop()).code).toBe(0);
    }
  } finally {
    await engine.kill();
    for (const directory of [engineDir, ...others]) rmSync(directory, { recursive: true, force: true });
  }
});
