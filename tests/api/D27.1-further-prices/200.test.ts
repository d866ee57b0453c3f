import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { explainCall } from '../../support/calls.ts';
import { expectStatus, sharedFarthing } from '../../support/client.ts';

const farthing = sharedFarthing();

/** What invoices of 2026 say: one event each. `named_ok`: it is right too if the call says what has no price. */
const cases = z
  .array(
    z.object({
      id: z.string(),
      area: z.string(),
      certain: z.boolean(),
      event: z.looseObject({ timestamp: z.string() }),
      expected_usd: z.number().nullable(),
      named_ok: z.boolean().optional(),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL('../../fixtures/invoice-cases.json', import.meta.url), 'utf8')));

test('D27.1: names and prices of 2026 cost what the providers invoice', async () => {
  const project = await farthing.createProject();
  const priced = cases.filter(({ area, certain }) => certain && area !== 'usage' && area !== 'charge');
  expect(priced.length).toBeGreaterThan(55);
  const events = priced.map(({ event }) => ({ event_type: 'llm.after', ...event, event_id: randomUUID() }));
  await project.post(...events);
  const faults = [];
  for (const [index, { id, expected_usd: expected, named_ok: mayBeNamed = false }] of priced.entries()) {
    const call = await explainCall(project, events[index]?.event_id ?? '');
    const isNamed = call.cost_source === 'unpriced' || call.partly_priced.length > 0;
    const isRight = expected !== null && Math.abs(call.cost - expected) < 1e-9;
    if (!isRight && !(mayBeNamed && isNamed)) faults.push([id, expected, call.cost, call.unpriced_reason]);
  }
  expect(faults).toEqual([]);
});

test('D27.1: a price from a further list says so, in the price of the model and in the lines of a call', async () => {
  const project = await farthing.createProject();
  const source = { kind: 'further_list', list: 'litellm', provider: 'dashscope', entry: 'qwen3.8-max' };
  const answer = await project.api('GET', '/api/models/qwen3.8-max/price/?provider=dashscope');
  expect(expectStatus(answer, 200)).toMatchObject({ source });
  const id = randomUUID();
  await project.post({
    event_id: id,
    event_type: 'llm.after',
    timestamp: new Date().toISOString(),
    provider: 'dashscope',
    model: 'qwen3.8-max',
    prompt_tokens: 1_000,
    completion_tokens: 200,
  });
  const call = await explainCall(project, id);
  expect(call).toMatchObject({ cost: 0.0032, cost_source: 'further_list' });
  expect(call.explanation.lines.map((line) => line.source)).toMatchObject([source, source]);
});
