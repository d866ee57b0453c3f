import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, expect, test, vi } from 'vitest';
import { changeTags } from '../../src/accounts/customers/tag-store.ts';
import { Projects } from '../../src/accounts/projects.ts';
import { askingFor } from '../../src/lib/asker.ts';
import { PriceBooks } from '../../src/pricing/books/price-books.ts';
import { WriteTurns } from '../../src/storage/control/write-turns.ts';
import { openControl } from '../support/stores.ts';

afterEach(() => void vi.useRealTimers());
/** What a busy machine takes long for must not be a long transaction. */
const stopClock = () => vi.useFakeTimers({ toFake: ['performance'] });

/** Takes a turn for each writer, in this order, and lists the order in which they got it. */
async function orderOf(writers: readonly (string | undefined)[]): Promise<(string | undefined)[]> {
  const turns = new WriteTurns();
  const order: (string | undefined)[] = [];
  const endFirst = await turns.take('first');
  const all = writers.map(async (writer) => {
    const end = await turns.take(writer);
    order.push(writer);
    await nextTurn();
    end();
  });
  endFirst();
  await Promise.all(all);
  return order;
}

test('D13.1: projects take turns to write, and the service itself comes first', async () => {
  stopClock();
  expect(await orderOf(['a', 'a', 'a', 'b', 'c', 'b'])).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
  expect(await orderOf(['a', 'a', undefined, 'b', undefined])).toEqual([undefined, undefined, 'a', 'b', 'a']);
});

test('D13.1: nobody writes beside another, and a free turn is taken at once', async () => {
  stopClock();
  const turns = new WriteTurns();
  let writing = 0;
  await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const end = await turns.take(index % 7 === 0 ? undefined : `p${index % 3}`);
      writing += 1;
      expect(writing).toBe(1);
      if (index % 2 === 0) await nextTurn();
      writing -= 1;
      end();
    }),
  );
  (await turns.take('a'))();
  (await turns.take('b'))();
});

test('D13.1: a project rests after a long transaction, for as long as it took; others have turns meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const turns = new WriteTurns();
  const order: (string | undefined)[] = [];
  const write = async (writer: string | undefined, tookMs: number) => {
    const end = await turns.take(writer);
    order.push(writer);
    await new Promise((resolve) => setTimeout(resolve, tookMs));
    end();
  };
  const all = [write('long', 200), write('long', 0), write('short', 0)];
  await vi.advanceTimersByTimeAsync(250);
  all.push(write(undefined, 0), write('short', 0));
  await vi.advanceTimersByTimeAsync(149);
  expect(order).toEqual(['long', 'short', undefined, 'short']);
  await vi.advanceTimersByTimeAsync(2);
  expect(order.at(-1)).toBe('long');
  await Promise.all(all);
});

test('D10.1: while a transaction is open, reads wait for nothing, also those written as text', async () => {
  const { control, close } = await openControl();
  const opened = await control.startTransaction().execute();
  await opened.deleteFrom('projects').execute();
  expect((await sql`select 1 as one`.execute(control)).rows).toEqual([{ one: 1 }]);
  await opened.rollback().execute();
  await close();
});

test('D10.1: while a large change is written, others read and write, and see all of it or nothing', async () => {
  const { control, close } = await openControl();
  const projects = new Projects(control, Date.now);
  const priceBooks = new PriceBooks(control, Date.now);
  const create = async (name: string) =>
    (await projects.create({ name, type: 'revenue', timezone: 'UTC', atRiskBelowPct: null }, priceBooks)).id;
  const [large, small] = [await create('large'), await create('small')];
  const tagsOf = (count: number) => new Map(Array.from({ length: count }, (_, key) => [`k${key}`, 'v']));
  const customers = Array.from({ length: 400 }, (_, index) => ({ name: `c${index}`, tags: tagsOf(100) }));
  const count = async () => {
    const { total } = await control
      .selectFrom('dimension_tags')
      .select((row) => row.fn.countAll<number>().as('total'))
      .where('project_id', '=', large)
      .executeTakeFirstOrThrow();
    return total;
  };

  let isWritten = false;
  const written = ['first', 'second'].map((value) =>
    askingFor({ lane: large }, () =>
      changeTags(control, large, 'customer', customers, { upsert: true }).then((result) => {
        isWritten = value === 'second';
        return result;
      }),
    ),
  );
  const isSmallLast = askingFor({ lane: small }, () =>
    changeTags(control, small, 'customer', [{ name: 'c', tags: tagsOf(1) }], { upsert: true }).then(() => isWritten),
  );
  const seen = new Set<number>();
  let turns = 0;
  while (!isWritten) {
    seen.add(await count());
    await nextTurn();
    turns += 1;
  }
  expect(await Promise.all(written)).toEqual([{ ok: true }, { ok: true }]);
  expect([...seen].sort()).toEqual([0, 40_000].filter((total) => seen.has(total)));
  // A change that held the event loop, or its readers, would let none of them through.
  expect(turns).toBeGreaterThan(30);
  expect(seen).toContain(0);
  let turnsOfReading = 0;
  let isRead = false;
  const reading = control
    .selectFrom('dimension_tags')
    .selectAll()
    .execute()
    .then((rows) => {
      isRead = true;
      return rows.length;
    });
  // A read sees what was committed before it, also while an older one goes on.
  for (let round = 0; !isRead; round += 1) {
    const name = `p${round}`;
    await control.updateTable('projects').set({ name }).where('id', '=', small).execute();
    const { name: found } = await control
      .selectFrom('projects')
      .select('name')
      .where('id', '=', small)
      .executeTakeFirstOrThrow();
    expect(found).toBe(name);
    await nextTurn();
    turnsOfReading += 1;
  }
  expect(await reading).toBe(40_001);
  expect(turnsOfReading).toBeGreaterThan(1);
  expect(await isSmallLast, 'the small change came before the second large one').toBe(false);
  await close();
});
