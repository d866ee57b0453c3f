import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { explainCall } from '../../support/calls.ts';
import { expectStatus, sharedFarthing } from '../../support/client.ts';

const farthing = sharedFarthing();

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

test('D27.1: coverage counts what further lists priced, by list and model, and names lists that disagree', async () => {
  const project = await farthing.createProject();
  const timestamp = '2026-11-20T12:00:00Z';
  const tokens = { event_type: 'llm.after', timestamp, prompt_tokens: 1_000, completion_tokens: 200 };
  const priced = (provider: string, model: string) => ({ ...tokens, event_id: randomUUID(), provider, model });
  await project.post(
    priced('dashscope', 'qwen3.8-max'),
    priced('alibaba', 'qwen3.8-max'),
    priced('deepinfra', 'Qwen/Qwen3.6-35B-A3B'),
    priced('openai', 'gpt-4o'),
    { ...priced('dashscope', 'qwen3.8-max'), timestamp: '2026-10-31T12:00:00Z' },
  );
  const answer = await project.api('GET', '/api/coverage/?date_from=2026-11-01&date_to=2026-11-30');
  expect(expectStatus(answer, 200)).toMatchObject({
    further_prices: {
      calls: 3,
      lists: [{ list: 'litellm', calls: 3 }],
      models: [
        { provider: 'alibaba', model: 'qwen3.8-max', list: 'litellm', version: '1.110.2', calls: 1, cost: 0.0032 },
        { provider: 'dashscope', model: 'qwen3.8-max', calls: 1, cost: 0.0032, disagreeing: expect.any(Array) },
        {
          provider: 'deepinfra',
          model: 'Qwen/Qwen3.6-35B-A3B',
          calls: 1,
          disagreeing: expect.arrayContaining([expect.objectContaining({ list: 'models.dev' })]),
        },
      ],
    },
  });
});
