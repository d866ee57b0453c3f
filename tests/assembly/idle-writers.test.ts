// A batch reads only the new part of the log, however long another instance has been idle.
import { expect, test } from 'vitest';
import { selectSlice } from '../../src/calls/assembly/slice-sql.ts';
import { lastStored, noteIdle, readWatermarks, registerWriter } from '../../src/calls/assembly/watermarks.ts';
import { base, hour, minute, openWorldOfFile } from './world.ts';

const world = await openWorldOfFile();

/** About how many rows of the log the next batch reads. */
async function rowsRead(): Promise<number> {
  const watermarks = await readWatermarks(world.control);
  const { sql, parameters } = selectSlice(watermarks.map((from) => ({ from, toSeq: lastStored(from) })));
  const rows = await world.store.select<{ rows: string }>(`EXPLAIN ESTIMATE ${sql}`, parameters);
  return rows.reduce((sum, row) => sum + Number(row.rows), 0);
}

test('a batch does not read the log of hours for a writer that has nothing', async () => {
  const { store, control, projectId } = world;
  const events = 300_000;
  const until = base + 10 * hour;
  await store.command(
    `INSERT INTO events (writer, seq, project, received_at, event_id, phase, text)
      SELECT 'busy', number + 1, {project:String}, fromUnixTimestamp64Milli({base:Int64} + intDiv(number * {span:Int64}, {events:Int64}), 'UTC'),
        generateUUIDv4(), 'after', '{}' FROM numbers({events:UInt64})`,
    { project: projectId, base, span: until - base, events },
  );
  await registerWriter(control, 'busy', base);
  await noteIdle(control, 'busy', { seq: 0, receivedAt: until - minute });
  expect(await rowsRead()).toBeLessThan(0.1 * events);

  // A writer that has just begun, and one that began long ago and reports now and then that it is idle.
  await registerWriter(control, 'new', until);
  expect(await rowsRead()).toBeLessThan(0.1 * events);
  await registerWriter(control, 'idle', base);
  await noteIdle(control, 'idle', { seq: 0, receivedAt: until - minute });
  expect(await rowsRead()).toBeLessThan(0.1 * events);
});
