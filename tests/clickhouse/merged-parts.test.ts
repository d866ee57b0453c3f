import { expect, test } from 'vitest';
import { startEngineStore } from '../support/stores.ts';

test('D3.2: a merged part is on the disk before the parts that it was made of are deleted, in every table', async () => {
  const { store, close } = await startEngineStore();
  try {
    const countSyncs = async () =>
      (await store.select<{ value: string }>("SELECT value FROM system.events WHERE event = 'FileSync'"))[0]?.value;
    const tables = await store.select<{ table: string; column: string }>(
      `SELECT table, any(name) AS column FROM system.columns
        WHERE database = currentDatabase() AND default_kind = '' GROUP BY table ORDER BY table`,
    );
    const unsynced: string[] = [];
    for (const { table, column } of tables) {
      const write = `INSERT INTO ${table} (${column}) VALUES (DEFAULT)`;
      await Promise.all([store.command(write), store.command(write)]);
      const written = await countSyncs();
      await store.command(`OPTIMIZE TABLE ${table} FINAL`);
      if ((await countSyncs()) === written) unsynced.push(table);
    }
    expect(tables.length).toBeGreaterThan(10);
    expect(unsynced).toEqual([]);
  } finally {
    await close();
  }
});
