import { rmSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import '../support/provided.ts';
import { usualOrLong } from '../support/effort.ts';
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
    const migrations = await Promise.all(
      others.map((dataDir) => launchService({ command: 'migrate', dataDir, postgresUrl, env })),
    );
    for (const migration of migrations) expect((await migration.exited).code, migration.output()).toBe(0);
    const { username, password, origin } = new URL(engine.url);
    const answer = await fetch(
      `${origin}/?query=${encodeURIComponent('SELECT count() = uniqExact(id) FROM migrations')}`,
      {
        headers: { authorization: `Basic ${btoa(`${username}:${password}`)}` },
      },
    );
    expect((await answer.text()).trim()).toBe('1');
    const service = await startService({ dataDir: makeDataDir(), postgresUrl, env });
    expect((await service.stop()).code).toBe(0);
  } finally {
    await engine.kill();
    for (const directory of [engineDir, ...others]) rmSync(directory, { recursive: true, force: true });
  }
});
