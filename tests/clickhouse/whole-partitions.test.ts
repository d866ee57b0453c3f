import { expect, test } from 'vitest';
import { poll } from '../support/poll.ts';
import { startEngineStore } from '../support/stores.ts';

test('parts of rollups become one per partition once nothing is written to it', async () => {
  const { store, close } = await startEngineStore();
  try {
    const settings = 'min_age_to_force_merge_seconds = 600, min_age_to_force_merge_on_partition_only = 1';
    const merged = `SELECT name FROM system.tables
      WHERE database = currentDatabase() AND position(create_table_query, {settings:String}) > 0 ORDER BY name`;
    const tables = (await store.select<{ name: string }>(merged, { settings })).map(({ name }) => name);
    expect(tables).toEqual(['cells', 'customer_cells', 'narrow_cells', 'run_cells', 'tag_cells']);

    await store.command('ALTER TABLE narrow_cells MODIFY SETTING min_age_to_force_merge_seconds = 1');
    const write = async (day: string) =>
      await store.command(`INSERT INTO narrow_cells (project, grain, day, seal) VALUES ('a', 'total', '${day}', 1)`);
    for (const day of ['2025-01-01', '2025-01-02', '2025-01-03']) await write(day);
    const parts = `SELECT toUInt32(rows) AS rows FROM system.parts
      WHERE database = currentDatabase() AND table = 'narrow_cells' AND active AND partition = '2025'`;
    // The engine looks for parts to merge after an INSERT into the table.
    await poll('the parts of the year are one', { within: 60_000, every: 200 }, async () => {
      await write('2026-01-01');
      const [part, ...others] = await store.select<{ rows: number }>(parts);
      return part?.rows === 3 && others.length === 0 ? true : undefined;
    });
  } finally {
    await close();
  }
});
