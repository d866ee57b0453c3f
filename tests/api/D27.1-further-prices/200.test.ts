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
