import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { expectStatus, onceCaughtUp, type Project, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

const model = z.strictObject({
  finding: z.enum(['disagrees', 'missing', 'changed']),
  provider: z.string(),
  model: z.string(),
  calls: z.number(),
  overridden_calls: z.number(),
  rates: z.array(
    z.strictObject({
      rate: z.string(),
      listed: z.number().nullable(),
      other: z.number().nullable(),
      ratio: z.number().nullable(),
    }),
  ),
});
const check = z.strictObject({
  days: z.number(),
  catalogue: z.strictObject({ version: z.string() }),
  newer: z.null(),
  source: z.strictObject({ name: z.string(), version: z.string() }),
  models: z.array(model),
});

const ask = async (project: Project, query = '') =>
  check.parse(expectStatus(await onceCaughtUp(() => project.api('GET', `/api/price-check/${query}`)), 200));

const callOf = (provider: string, name: string, daysAgo = 0) => ({
  event_id: randomUUID(),
  event_type: 'llm.after',
  timestamp: new Date(Date.now() - daysAgo * 86_400_000).toISOString(),
  ...{ provider, model: name, prompt_tokens: 1 },
});

test('D5.2: the check names both prices, their ratio, and the calls of the last days; an override is told apart', async () => {
  const project = await farthing.createProject();
  const before = await ask(project);
  expect(before).toMatchObject({ days: 30, source: { name: 'llm-zoo' } });
  expect(before.models.every(({ calls }) => calls === 0)).toBe(true);
  const differing = before.models.find(({ finding, rates }) => finding === 'disagrees' && rates.length === 2);
  const missing = before.models.find(({ finding }) => finding === 'missing');
  if (!differing || !missing) throw new Error('the two price lists agree');
  for (const { listed, other, ratio } of differing.rates) expect(ratio).toBe((other ?? 0) / (listed ?? 0));
  expect(missing.rates).toEqual([
    { rate: 'input', listed: null, other: expect.any(Number), ratio: null },
    { rate: 'output', listed: null, other: expect.any(Number), ratio: null },
  ]);

  const path = `/api/models/${encodeURIComponent(differing.model)}/price/?provider=${differing.provider}`;
  const listed = Object(expectStatus(await project.api('GET', path), 200)).rates.per_mtok;
  expect(differing.rates.map(({ listed: usd }) => usd)).toEqual([listed.input, listed.output]);
  expectProblem(
    await project.api('GET', `/api/models/${encodeURIComponent(missing.model)}/price/?provider=${missing.provider}`),
    404,
    'not_found',
  );

  await project.post(
    callOf(differing.provider, differing.model),
    callOf(differing.provider, differing.model.toUpperCase()),
    callOf(missing.provider, missing.model),
    callOf(missing.provider, missing.model, 40),
  );
  const used = await ask(project);
  expect(used.models.slice(0, 2)).toEqual([
    { ...differing, calls: 2 },
    { ...missing, calls: 1 },
  ]);
  expect(used.models.slice(2).every(({ calls }) => calls === 0)).toBe(true);
  expect((await ask(project, '?days=90')).models.find((one) => one.model === missing.model)?.calls).toBe(2);

  await project.addPrice({ model: missing.model, input_per_mtok: 1, output_per_mtok: 1 });
  expect((await ask(project)).models.find((one) => one.model === missing.model)).toEqual({
    ...missing,
    ...{ calls: 1, overridden_calls: 1 },
  });
});

test.each(['?days=0', '?days=91', '?days=x', '?day=1'])('D5.2: %s is refused', async (query) => {
  const project = await farthing.createProject();
  expectProblem(await project.api('GET', `/api/price-check/${query}`), 400, 'invalid_query');
});
