import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AnalyticStore } from '../../src/clickhouse/analytic-store.ts';
import { startEmbeddedEngine } from '../../src/clickhouse/embedded/engine.ts';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

test('deletions go on in the background: assembly and answers do not wait for them', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'farthing-store-'));
  const engine = await startEmbeddedEngine({ dataDir, logger: quiet });
  const { url, username, password } = engine;
  const store = new AnalyticStore({ url, credentials: { username, password } });
  try {
    // The engine's own default waits until every part is written anew: seconds, for a few months.
    expect(await store.select("SELECT toString(getSetting('mutations_sync')) AS waits")).toEqual([{ waits: '0' }]);
  } finally {
    await store.close();
    await engine.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
