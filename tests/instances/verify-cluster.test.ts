// The script that checks a cluster, as far as it goes without one: against the engine alone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { usualOrLong } from '../support/effort.ts';
import { freePort } from '../support/ports.ts';
import { makeDataDir, startEngine } from '../support/service.ts';

test('scripts/verify-cluster.ts finds all well with a server that is', async () => {
  const dataDir = makeDataDir();
  const engine = await startEngine({ dataDir, port: await freePort(), token: 'token-of-the-engine-0123456789' });
  try {
    const script = fileURLToPath(new URL('../../scripts/verify-cluster.ts', import.meta.url));
    const checking = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', script, '--rounds', String(usualOrLong(2, 100))],
      {
        env: { PATH: process.env.PATH, FARTHING_CLICKHOUSE_URL: engine.url },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [report, [code]] = await Promise.all([text(checking.stdout), once(checking, 'exit')]);
    expect(report).toContain('All is well.');
    expect(report).not.toContain('FAILED');
    expect(code).toBe(0);
  } finally {
    await engine.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
