// D18.2: random invoices with known faults, through the API: the calls as events, in UTC and in another timezone.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { partKinds } from '../../src/billing/invoices/reconciliation/wire.ts';
import { toDay } from '../../src/lib/days.ts';
import { formatMoney } from '../../src/lib/money.ts';
import { usageBuckets } from '../../src/lib/usage-buckets.ts';
import { addInvoices, reconcile } from '../api/D18-reconciliation/support.ts';
import { anyWorld, makeWorld, type World } from '../invoices/reconciliation/worlds.ts';
import { type Json, type Project, sharedFarthing } from '../support/client.ts';
import { dollars } from '../support/decimal.ts';
import { checkCases } from '../support/random-cases.ts';

const farthing = sharedFarthing();

/** One event for each record. In New York in October, 23:00 is 03:00 of the next day in UTC. */
function toEvents({ usage }: World, isElsewhere: boolean): Json[] {
  return usage.map(({ day, providerDay, provider, model, tokens }) => {
    const count = (bucket: (typeof usageBuckets)[number]) => Number(tokens[usageBuckets.indexOf(bucket)] ?? 0n);
    const hour = day === providerDay ? '12' : '23';
    return {
      ...{ event_id: randomUUID(), event_type: 'llm.after', provider, model },
      timestamp: `${toDay(day)}T${hour}:00:00${isElsewhere ? '-04:00' : 'Z'}`,
      prompt_tokens: count('input') + count('cacheRead'),
      cached_tokens: count('cacheRead'),
      completion_tokens: count('output'),
    };
  });
}

async function fill(project: Project, world: World, isElsewhere: boolean): Promise<void> {
  for (const { provider, model } of world.priced) {
    const { input, output, cacheRead } = world.ratesOf(provider, model)?.perMtok ?? {};
    const rates = { input_per_mtok: input, output_per_mtok: output, cache_read_per_mtok: cacheRead };
    const texts = Object.entries(rates).map(([name, rate]) => [name, dollars(rate ?? 0n)]);
    await project.addPrice({ provider, model, ...Object.fromEntries(texts) });
  }
  await project.post(...toEvents(world, isElsewhere));
  const entries = world.entries.map((entry) => ({
    external_id: entry.externalId,
    provider: entry.provider,
    date_from: entry.dateFrom,
    date_to: entry.dateTo,
    model: entry.model,
    amount: formatMoney(entry.amount),
    kind: entry.kind,
  }));
  for (let at = 0; at < entries.length; at += 1_000) await addInvoices(project, ...entries.slice(at, at + 1_000));
}

test('D18.2: each fault of random invoices lands in its part', async () => {
  await checkCases([anyWorld], 40, async (spec) => {
    const world = makeWorld(spec);
    const isElsewhere = spec.faults.timezone;
    const project = await farthing.createProject({ timezone: isElsewhere ? 'America/New_York' : 'UTC' });
    await fill(project, world, isElsewhere);
    const range = { date_from: toDay(world.range.from), date_to: toDay(world.range.to) };
    const byModel = await reconcile(project, { ...range, aggregate: 'all', group_by: 'model' });
    for (const rows of [byModel, await reconcile(project, { ...range, aggregate: 'all' })]) {
      const parts = rows.flatMap((row) => row.parts);
      for (const kind of partKinds.filter((one) => one !== 'rest')) {
        const is = parts.filter((part) => part.kind === kind).reduce((sum, { amount }) => sum + amount, 0);
        const wanted = dollars(world.expected.get(kind) ?? 0n);
        expect(Math.abs(is - wanted), `${kind}: ${is}, not ${wanted}`).toBeLessThanOrEqual(
          Math.max(0.01, Math.abs(wanted) / 1_000),
        );
      }
    }
    const whole = (name: 'computed' | 'invoiced') => byModel.reduce((sum, row) => sum + row[name], 0);
    expect(whole('computed')).toBeCloseTo((await project.costs({ ...range, aggregate: 'all' })).rows[0]?.cost ?? 0, 6);
  });
});
