import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addGrant } from '../api/D7-credits/support.ts';
import { callEvent, type History, historyOf } from '../support/arbitraries/history.ts';
import { days } from '../support/arbitraries/names.ts';
import { dimensions, costsQuery as query } from '../support/arbitraries/questions.ts';
import { allCalls, type Call, type ExplainedCall, explainCall, readRun } from '../support/calls.ts';
import { type CostRow, type Dimension, type Json, type Project, sharedFarthing } from '../support/client.ts';
import { dollars, picos } from '../support/decimal.ts';
import { usualOrLong } from '../support/effort.ts';
import type { CostsQuery } from '../support/model.ts';
import { checkCases } from '../support/random-cases.ts';
import { storeHistory } from '../support/stored-history.ts';

const farthing = sharedFarthing();
const history = historyOf(callEvent(days));

/** Puts a history into a project of its own. Credits pay a part of the calls to one provider. */
async function store(past: History): Promise<Project> {
  const { project } = await storeHistory(farthing, past);
  await addGrant(project, { provider: 'P1', amount: 7, starts_on: '2023-12-25' });
  return project;
}

/** The body that asks for the calls behind a row of an answer. */
function behind({ aggregate: _, group_by, ...body }: CostsQuery, row: CostRow): Json {
  const { date_from, date_to, tag } = row;
  const dimension = dimensionOf(group_by);
  const value = dimension ? { [dimension]: row[dimension] } : group_by && { group_by, tag };
  return { ...body, row: { date_from, date_to, ...value } };
}

/** The dimension of rows; undefined for tags. */
const dimensionOf = (group: CostsQuery['group_by']): Dimension | undefined =>
  dimensions.find((dimension) => dimension === group);

const sumOf = (amounts: readonly number[]): bigint => amounts.reduce((sum, amount) => sum + picos(amount), 0n);

/** Checks a row against all calls behind it: they belong to the row, are in order and add up to it. */
async function traceRow(project: Project, asked: CostsQuery, row: CostRow, limit: number): Promise<Call[]> {
  const calls = await allCalls(project, { ...behind(asked, row), limit });
  for (const call of calls) {
    expect(call.day >= row.date_from && call.day <= row.date_to).toBe(true);
    const dimension = dimensionOf(asked.group_by);
    if (dimension) expect(call[dimension]).toBe(row[dimension]);
  }
  const order = calls.map(({ day, time, event_id }) => `${day} ${time} ${event_id}`);
  expect(order).toEqual([...new Set(order)].sort());
  expect(dollars(sumOf(calls.map(({ cost }) => cost)))).toBe(row.cost);

  const runs = Map.groupBy(
    calls.filter(({ feature }) => feature !== ''),
    ({ run, feature }) => JSON.stringify([run, feature]),
  );
  const runCosts = [...runs.values()].map((ofRun) => sumOf(ofRun.map(({ cost }) => cost)));
  const largest = runCosts.toSorted((a, b) => (a < b ? -1 : 1)).at(-1) ?? 0n;
  expect(dollars(largest)).toBe(row.max_feature_run_cost);
  return calls;
}

/** Checks that the explanation of a call leads to its cost. */
function expectExplained(call: Call, explained: ExplainedCall): void {
  const { explanation, events, events_total: total, open: _, calls, ...same } = explained;
  expect(same).toEqual(call);
  expect(calls).toBe(1);
  expect(total).toBe(events.length);
  expect(events.length).toBeGreaterThan(0);
  // Events are shown as posted (D2); a call has its id in lower case (D3.4).
  for (const { event } of events) expect(String(event.event_id).toLowerCase()).toBe(call.event_id);
  expect(events.map((shown) => shown.received_at)).toEqual(events.map((shown) => shown.received_at).sort());

  const { lines } = explanation;
  if (call.cost_source === 'reported') {
    expect(lines).toEqual([]);
    expect(events.map(({ event }) => event.cost)).toContain(call.cost);
    return;
  }
  expect(sumOf(lines.map(({ amount }) => amount))).toBe(picos(call.cost));
  if (call.cost_source !== 'override') {
    expect([call.cost, lines]).toEqual([0, []]);
    return;
  }
  const counted: Record<string, number> = {};
  for (const line of lines) {
    if (!('rate_per_mtok' in line)) throw new Error('no price of this test is per request');
    counted[line.bucket] = line.tokens;
    // Exact: these rates have at most 6 fractional digits.
    expect(picos(line.amount) * 1_000_000n).toBe(BigInt(line.tokens) * picos(line.rate_per_mtok));
  }
  expect(counted).toEqual(Object.fromEntries(Object.entries(call.tokens).filter(([, tokens]) => tokens > 0)));
}

test('D2, D5.6: every row leads to its calls, and every call to its events and prices', async () => {
  const picks = fc.array(fc.nat(), { minLength: 4, maxLength: 4 });
  const count = usualOrLong(2, 4);
  const limit = fc.integer({ min: usualOrLong(4, 1), max: 9 });
  const questions = fc.array(fc.tuple(query, picks), { minLength: count, maxLength: count });
  await checkCases([history, questions, limit], 60, async (past, asked, limit) => {
    const project = await store(past);
    const found = new Map<string, Call>();
    for (const [question, places] of asked) {
      const rows = (await project.allCosts({ ...question })).filter((row, index) => row.cost > 0 || index === 0);
      for (const row of new Set(places.map((place) => rows[place % rows.length]))) {
        if (!row) continue;
        for (const call of await traceRow(project, question, row, limit)) found.set(call.event_id, call);
      }
    }
    const calls = [...found.values()].slice(0, 6);
    for (const call of calls) expectExplained(call, await explainCall(project, call.event_id));
    for (const name of new Set(calls.slice(0, 2).map(({ run }) => run))) {
      const run = await readRun(project, name);
      expect(sumOf(run.rows.map(({ cost }) => cost))).toBe(picos(run.cost));
      for (const call of calls.filter((of) => of.run === name)) expect(run.rows).toContainEqual(call);
    }
  });
});

test('D7.3: the net costs of the calls add up to the net cost of the row', async () => {
  await checkCases([history, query], 30, async (past, question) => {
    const project = await store(past);
    const asked = { ...question, apply_credits: true };
    const rows = (await project.allCosts({ ...asked })).filter(({ cost }) => cost > 0).slice(0, 4);
    for (const row of rows) {
      const calls = await allCalls(project, behind(asked, row));
      const net = calls.reduce((sum, call) => sum + (call.net_cost ?? Number.NaN), 0);
      expect(Math.abs(net - row.cost)).toBeLessThanOrEqual(1e-9);
      const [call] = calls.filter(({ cost }) => cost > 0);
      if (!call) continue;
      const { credit } = (await explainCall(project, call.event_id)).explanation;
      expect(credit.net_cost).toBe(call.net_cost);
      expect(Math.abs(call.cost * (1 - credit.covered_fraction) - credit.net_cost)).toBeLessThanOrEqual(1e-9);
    }
  });
});
