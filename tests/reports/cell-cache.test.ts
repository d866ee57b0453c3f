// The memory of narrow cells of sealed days: when it reads the store, and that its sums equal the store's.
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Period } from '../../src/lib/days.ts';
import { toDay, toDayNumber } from '../../src/lib/days.ts';
import { newId } from '../../src/lib/ids.ts';
import { formatMoney, widen } from '../../src/lib/money.ts';
import { AnswerCache } from '../../src/reports/asking/answer-cache.ts';
import { CellCache } from '../../src/reports/asking/cell-cache.ts';
import { type CellScope, readCells, readCostCells } from '../../src/reports/asking/cells.ts';
import { limitValues } from '../../src/reports/asking/first-values.ts';
import type { PagePlan } from '../../src/reports/asking/page.ts';
import { granularities, listPeriods } from '../../src/reports/asking/periods.ts';
import { oneOf } from '../../src/reports/asking/where.ts';
import { joinRows, sumCells } from '../../src/reports/costs/records.ts';
import { type CostsRow, isListed, selectCostsOfCells } from '../../src/reports/costs/sql.ts';
import { openWorldOfFile } from '../assembly/world.ts';
import { usualOrLong } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';

const { store } = await openWorldOfFile();

/** A cell of the grain `model`; money is in picodollars. */
interface MadeCell {
  readonly day: number;
  readonly model: string;
  readonly cost: bigint;
  readonly runCost: bigint;
  readonly runs: number;
  readonly maxRunCost: bigint;
  readonly crossing: readonly { readonly run: number; readonly cost: bigint }[];
}

const plainCell = { cost: 1n, runCost: 0n, runs: 0, maxRunCost: 0n, crossing: [] };

/** Inserts cells of the grain `model`, or with a key those of a tag with these values. */
async function insertCells(
  project: string,
  cells: readonly MadeCell[],
  sealOf = firstSeal,
  tagKey?: string,
): Promise<void> {
  const [table, columns] =
    tagKey === undefined ? ['narrow_cells', 'model, grain'] : ['tag_cells', 'tag, tag_key, grain'];
  const values = tagKey === undefined ? "'model'" : "{tag_key:String}, 'tag'";
  const rows = cells.map(({ day, model, cost, runCost, runs, maxRunCost, crossing }) => [
    ...[day, sealOf(day), model, formatMoney(cost), formatMoney(runCost), runs, formatMoney(maxRunCost)],
    crossing.map((piece) => [piece.run, formatMoney(piece.cost)]),
  ]);
  await store.command(
    `INSERT INTO ${table} (project, day, seal, ${columns}, cost, run_cost, runs, max_run_cost, crossing)
      SELECT {project:String}, toDate(row.1), row.2, row.3, ${values}, toDecimal128(row.4, 12), toDecimal128(row.5, 12), row.6,
        toDecimal128(row.7, 12), arrayMap(piece -> (sipHash128(piece.1), toDecimal128(piece.2, 12)), row.8)
      FROM (SELECT arrayJoin(JSONExtract({rows:String},
        'Array(Tuple(UInt16, UInt64, String, String, String, UInt64, String, Array(Tuple(UInt32, String))))')) AS row)`,
    { project, rows: JSON.stringify(rows), ...(tagKey !== undefined && { tag_key: tagKey }) },
  );
}

const firstSeal = (day: number): number => 7_000_000_000 + day;
const newProject = () => newId('prj');
const start = toDayNumber('2026-01-20');
const daysOf = ({ dateFrom, dateTo }: Period) =>
  Array.from({ length: toDayNumber(dateTo) - toDayNumber(dateFrom) + 1 }, (_, index) => toDayNumber(dateFrom) + index);
const spanOf = (from: number, length: number): Period => ({ dateFrom: toDay(from), dateTo: toDay(from + length - 1) });

/** All days of a period, sealed. */
const scopeOf = (projectId: string, period: Period, sealOf = firstSeal): CellScope => ({
  projectId,
  period,
  generations: {
    ...{ timezone: 'UTC', base: 0, byDay: new Map(), frozenBefore: undefined, openDays: [] },
    seals: new Map(daysOf(period).map((day) => [toDay(day), sealOf(day)])),
  },
});

/** The memory over the store, with a count of its queries. */
function openCells() {
  const counted = { statements: 0 };
  const select: typeof store.select = async (...asked) => {
    counted.statements += 1;
    return await store.select(...asked);
  };
  const cellCache = new CellCache({ select });
  const read = async (scope: CellScope) => {
    const cells = await readCostCells(scope, { grain: 'model', runs: 'crossing', filters: [] }, { store, cellCache });
    return cells?.map(({ day, value }) => `${day} ${value}`).sort();
  };
  return { counted, cellCache, read };
}

/** A cell for each day of a period and model. */
const cellsOf = (period: Period, models: readonly string[]): MadeCell[] =>
  daysOf(period).flatMap((day) => models.map((model) => ({ ...plainCell, day, model })));
const namesOf = (cells: readonly MadeCell[]) => cells.map(({ day, model }) => `${day} ${model}`).sort();

test('sums of cells equal those of the store, in pages of any size', async () => {
  const { cellCache } = openCells();
  const pico = fc.bigInt({ min: 0n, max: 10n ** 16n });
  const piece = fc.record({ run: fc.nat({ max: 5 }), cost: pico });
  const cell = fc
    .record({
      day: fc.nat({ max: 40 }).map((day) => start + day),
      // Code points above U+FFFF come after those above the surrogates, in bytes as in order.
      model: fc.constantFrom('', 'a', 'gpt-4o', 'é', '\u{fffd}', '\u{1f600}'),
      ...{ cost: pico, runCost: pico, maxRunCost: fc.bigInt({ min: 0n, max: 1_000n }), runs: fc.nat({ max: 1_000 }) },
      crossing: fc.uniqueArray(piece, { selector: ({ run }) => run, maxLength: 4 }),
    })
    .map((made) => ({
      ...made,
      runs: made.runs + made.crossing.length,
      // A run that has several cells may cost more in them together than any in one of them.
      maxRunCost: dearest([made.maxRunCost, ...made.crossing.map(({ cost }) => cost)]),
    }));
  const cells = fc.uniqueArray(cell, { selector: ({ day, model }) => `${day} ${model}`, maxLength: 60 });
  const question = fc.record({
    granularity: fc.constantFrom(...granularities),
    from: fc.nat({ max: 10 }),
    length: fc.integer({ min: 1, max: 45 }),
    tagKey: fc.constantFrom(undefined, 'env', 'env 7'),
    models: fc.option(fc.uniqueArray(fc.constantFrom('', 'a', 'é', 'none'), { minLength: 1 }), { nil: undefined }),
    isGrouped: fc.boolean(),
    limit: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 30 })),
    afterValue: fc.option(fc.constantFrom('', 'a', '\u{fffd}'), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(cells, fc.array(question, { minLength: 1, maxLength: 6 }), async (made, questions) => {
      const projectId = newProject();
      if (made.length > 0) await insertCells(projectId, made);
      if (made.length > 0) await insertCells(projectId, made.slice(1), firstSeal, 'env');
      if (made.length > 0) await insertCells(projectId, made.slice(0, 1), firstSeal, 'env 7');
      for (const { granularity, from, length, tagKey, models, isGrouped, limit, afterValue } of questions) {
        const grain = tagKey === undefined ? 'model' : 'tag';
        const tag = tagKey === undefined ? undefined : { key: tagKey, value: { sql: 'tag', parameters: {} } };
        const range = spanOf(start + from, length);
        const values = tag ? undefined : isGrouped ? models : [models?.[0] ?? 'a'];
        const filters = values ? [oneOf('model', values)] : [];
        const plan: PagePlan = {
          ...{ identity: 'any', limit, range, periods: listPeriods(range, granularity) },
          afterValue: isGrouped ? afterValue : undefined,
        };
        const scope = scopeOf(projectId, range);
        const wanted = { grain, runs: 'crossing', filters, tag } as const;
        const inMemory = await readCostCells(scope, wanted, { store, cellCache });
        const summed = sumCells(inMemory ?? [], { plan, isGrouped, values });
        const value = isGrouped ? { sql: grain, parameters: {} } : undefined;
        const ofPage = { plan, scope, cells: wanted, value: { sql: 'tag', parameters: {} } };
        const planned = tag && value ? await limitValues(ofPage, new AnswerCache(store)) : plan;
        for (const crossing of ['counted', 'listed'] as const) {
          const { sql, parameters } = selectCostsOfCells({
            cells: readCells(scope, { ...wanted, measures: ['cost'] }),
            ...{
              crossing,
              net: undefined,
              plan: planned,
              value,
              mostRows: 40,
            },
          });
          const rows = await store.select<CostsRow>(sql, parameters);
          if (crossing === 'listed') expect(isListed(rows)).toBe(true);
          expect(joinRows(plan, rows), `${grain} ${crossing}`).toEqual(summed);
        }
      }
    }),
    { numRuns: usualOrLong(2, 200) },
  );
});

test('a page by a tag reads no values after its own', async () => {
  const projectId = newProject();
  const range = spanOf(start, 2);
  await insertCells(projectId, cellsOf(range, ['a', 'b', 'c']), firstSeal, 'env');
  const tag = { key: 'env', value: { sql: 'tag', parameters: {} } };
  const cells = { grain: 'tag', filters: [], tag } as const;
  const limited = async (limit: number, afterValue?: string) => {
    const plan = { identity: 'any', limit, range, periods: [range], afterValue };
    const page = { plan, scope: scopeOf(projectId, range), cells, value: tag.value };
    return (await limitValues(page, new AnswerCache(store))).upToValue;
  };
  expect([await limited(1), await limited(1, 'a'), await limited(1, 'b'), await limited(3)]).toEqual([
    'b',
    'c',
    undefined,
    undefined,
  ]);
});

const dearest = (costs: readonly bigint[]) => costs.toSorted((a, b) => Number(a - b)).at(-1) ?? 0n;

test('D6.7: a run of two days counts once in a row of both days, with its cost on both', async () => {
  const { cellCache } = openCells();
  const projectId = newProject();
  const range = spanOf(start, 2);
  const cell = { model: 'a', cost: 20n, runCost: 8n };
  const first = { ...cell, day: start, runs: 2, maxRunCost: 5n };
  await insertCells(projectId, [
    { ...first, crossing: [5n, 3n].map((cost, run) => ({ run, cost })) },
    { ...cell, day: start + 1, runs: 1, maxRunCost: 4n, crossing: [{ run: 1, cost: 4n }] },
  ]);
  const wanted = { grain: 'model', runs: 'crossing', filters: [] } as const;
  const cells = await readCostCells(scopeOf(projectId, range), wanted, { store, cellCache });
  const plan = { identity: 'any', limit: 10, range, periods: [range], afterValue: undefined };
  expect(sumCells(cells ?? [], { plan, isGrouped: true, values: undefined })).toEqual([
    { period: start, value: 'a', runs: 2, cost: widen(40n), runCost: 16n, maxRunCost: 7n },
  ]);
});

test('cells are read once, for any period and any number of readers', async () => {
  const { counted, read } = openCells();
  const projectId = newProject();
  const year = spanOf(start, 40);
  await insertCells(projectId, cellsOf(year, ['a', 'b']));
  const week = spanOf(start + 10, 7);
  const answers = await Promise.all(Array.from({ length: 16 }, () => read(scopeOf(projectId, week))));
  for (const names of answers) expect(names).toEqual(namesOf(cellsOf(week, ['a', 'b'])));
  expect(counted.statements).toBe(1);
  // Only the days that are new.
  expect(await read(scopeOf(projectId, year))).toEqual(namesOf(cellsOf(year, ['a', 'b'])));
  expect(counted.statements).toBe(2);
  for (const period of [year, week, spanOf(start + 3, 20)])
    expect(await read(scopeOf(projectId, period))).toEqual(namesOf(cellsOf(period, ['a', 'b'])));
  expect(counted.statements).toBe(2);
});

test('a day that is sealed again is read again, and its old cells no longer count', async () => {
  const { counted, read } = openCells();
  const projectId = newProject();
  const period = spanOf(start, 3);
  await insertCells(projectId, cellsOf(period, ['old']));
  await read(scopeOf(projectId, period));
  const sealOf = (day: number) => firstSeal(day) + (day === start + 1 ? 1_000_000 : 0);
  await insertCells(projectId, cellsOf(spanOf(start + 1, 1), ['new']), sealOf);
  expect(await read(scopeOf(projectId, period, sealOf))).toEqual([
    `${start} old`,
    `${start + 1} new`,
    `${start + 2} old`,
  ]);
  expect(counted.statements).toBe(2);
});

test('a sealed day without a cell is known to have none', async () => {
  const { counted, read } = openCells();
  const projectId = newProject();
  await insertCells(projectId, cellsOf(spanOf(start, 1), ['a']));
  // Whether there are none or too many takes a second statement.
  expect(await read(scopeOf(projectId, spanOf(start + 1, 1)))).toEqual([]);
  expect(counted.statements).toBe(2);
  for (let round = 0; round < 2; round += 1) {
    expect(await read(scopeOf(projectId, spanOf(start + 1, 1)))).toEqual([]);
    expect(await read(scopeOf(projectId, spanOf(start, 2)))).toEqual([`${start} a`]);
    expect(counted.statements).toBe(3);
  }
});

test('cells of one project are not those of another', async () => {
  const { read } = openCells();
  const [one, other] = [newProject(), newProject()];
  const period = spanOf(start, 2);
  await insertCells(one, cellsOf(period, ['one']));
  await insertCells(other, cellsOf(period, ['other']));
  expect(await read(scopeOf(one, period))).toEqual(namesOf(cellsOf(period, ['one'])));
  expect(await read(scopeOf(other, period))).toEqual(namesOf(cellsOf(period, ['other'])));
});

test.each([
  { what: 'cells', cells: 10_000, crossing: [0, 0] },
  { what: 'costs of crossing runs', cells: 1, crossing: [10_000, 10_000] },
  { what: 'costs of crossing runs in one cell', cells: 1, crossing: [0, 20_000] },
])('more $what than an answer takes are left to the store, and not asked for again', async ({ cells, crossing }) => {
  const { counted, read } = openCells();
  const projectId = newProject();
  const [few, many] = [spanOf(start, 1), spanOf(start + 1, 2)];
  const models = (count: number) => Array.from({ length: count }, (_, index) => `model-${index}`);
  const withRuns = (cell: MadeCell): MadeCell => {
    const runs = cell.model === 'model-0' ? (crossing[cell.day - toDayNumber(many.dateFrom)] ?? 0) : 0;
    return { ...cell, crossing: Array.from({ length: runs }, (_, run) => ({ run, cost: 1n })) };
  };
  await insertCells(projectId, [
    ...cellsOf(few, models(100)),
    ...cellsOf(many, models(cells)).map(withRuns),
    // With this one they are more than 20,000.
    { ...plainCell, day: toDayNumber(many.dateTo), model: 'another' },
  ]);
  for (let round = 0; round < 2; round += 1) {
    expect(await read(scopeOf(projectId, many))).toBeUndefined();
    expect(counted.statements).toBe(2);
  }
  // Of fewer days there may be fewer.
  expect(await read(scopeOf(projectId, few))).toHaveLength(100);
  expect(counted.statements).toBe(3);
});

test.each([
  { what: 'cells', model: 'toString(number)', run: "''" },
  { what: 'costs of crossing runs', model: "'a'", run: 'toString(number)' },
])('more $what of the running day than an answer takes are left to the store', async ({ model, run }) => {
  const { cellCache } = openCells();
  const projectId = newProject();
  const period = spanOf(start, 1);
  await store.command(
    `INSERT INTO crossing_runs (project, base_generation, run) SELECT {project:String}, 0, toString(number) FROM numbers(20001)`,
    { project: projectId },
  );
  const insertCalls = async (from: number, to: number) =>
    await store.command(
      `INSERT INTO calls (project, day, generation, event_id, ordinal, version, is_deleted, time, feature, model, run, cost)
        SELECT {project:String}, toDate({day:UInt16}), 0, generateUUIDv4(), 0, 1, 0, toDateTime64(toDate({day:UInt16}), 3), 'chat', ${model}, ${run}, 1
        FROM numbers({from:UInt32}, {count:UInt32})`,
      { project: projectId, day: start, from, count: to - from },
    );
  const scope = scopeOf(projectId, period);
  const ofToday = { ...scope, generations: { ...scope.generations, seals: new Map(), openDays: [toDay(start)] } };
  const read = async () =>
    await readCostCells(ofToday, { grain: 'model', runs: 'crossing', filters: [] }, { store, cellCache });
  await insertCalls(0, 9_999);
  expect(await read()).not.toBeUndefined();
  await insertCalls(9_999, 20_001);
  expect(await read()).toBeUndefined();
});

test('as many cells as an answer takes are read', async () => {
  const { read } = openCells();
  const projectId = newProject();
  const period = spanOf(start, 2);
  const crossing = Array.from({ length: 9_999 }, (_, run) => ({ run, cost: 1n }));
  await insertCells(
    projectId,
    daysOf(period).map((day) => ({ ...plainCell, day, model: 'a', crossing })),
  );
  expect(await read(scopeOf(projectId, period))).toHaveLength(2);
});

longTest('memory is bounded: the least recently used cells are read again', async () => {
  const { counted, read } = openCells();
  const projects = Array.from({ length: 7 }, newProject);
  const period = spanOf(start, 1);
  const models = Array.from({ length: 16_000 }, (_, index) => `model-${index}`);
  for (const projectId of projects) {
    await insertCells(projectId, cellsOf(period, models));
    expect(await read(scopeOf(projectId, period))).toHaveLength(models.length);
  }
  expect(counted.statements).toBe(7);
  await read(scopeOf(projects[6] ?? '', period));
  expect(counted.statements).toBe(7);
  expect(await read(scopeOf(projects[0] ?? '', period))).toHaveLength(models.length);
  expect(counted.statements).toBe(8);
});

test('cells are dropped from memory after five minutes', async () => {
  const { counted, read } = openCells();
  const projectId = newProject();
  const period = spanOf(start, 2);
  await insertCells(projectId, cellsOf(period, ['a']));
  const now = performance.now.bind(performance);
  let passedMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
  try {
    for (const { afterMs, statements } of [
      { afterMs: 0, statements: 1 },
      { afterMs: 290_000, statements: 1 },
      { afterMs: 301_000, statements: 2 },
    ]) {
      passedMs = afterMs;
      // The clock is read once a millisecond.
      await pause(5);
      expect(await read(scopeOf(projectId, period))).toEqual(namesOf(cellsOf(period, ['a'])));
      expect(counted.statements).toBe(statements);
    }
  } finally {
    clock.mockRestore();
  }
});

test('a failure reaches all who wait, and the next caller reads the store again', async () => {
  const projectId = newProject();
  const period = spanOf(start, 2);
  await insertCells(projectId, cellsOf(period, ['a']));
  let isAway = true;
  let statements = 0;
  const select: typeof store.select = async (...asked) => {
    statements += 1;
    if (isAway) throw new Error('the store is away');
    return await store.select(...asked);
  };
  const cellCache = new CellCache({ select });
  const read = async () =>
    await readCostCells(
      scopeOf(projectId, period),
      { grain: 'model', runs: 'plain', filters: [] },
      { store, cellCache },
    );
  const answers = await Promise.allSettled([read(), read(), read()]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(statements).toBe(1);
  isAway = false;
  expect(await read()).toHaveLength(2);
});
