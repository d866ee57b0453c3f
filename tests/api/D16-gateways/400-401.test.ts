import { expect, test } from 'vitest';
import { type SendOptions, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

const record = { id: 'chatcmpl-1', model: 'gpt-4o', startTime: 1768471200, endTime: 1768471201 };

test('D3.3: the good records of a batch are stored, and the bad ones named', async () => {
  const project = await farthing.createProject();
  const post = (path: string, options: SendOptions) =>
    farthing.send('POST', `${project.intakePath}${path}/`, { token: project.secret, ...options });
  const old = { id: 'v1', usage: 'Usage(completion_tokens=20)', modelParameters: '{}' };
  const answer = await post('litellm', { body: [record, null, { model: 'gpt-4o' }, old, 'text'] });
  expectProblem(answer, 400, 'invalid_body');
  expect(answer.body).toMatchObject({
    accepted: 1,
    errors_total: 4,
    errors: [
      { pointer: '/1', code: 'invalid_type' },
      { pointer: '/2/id', code: 'required' },
      { pointer: '/3', code: 'invalid_value', message: expect.stringContaining('generic_api_use_v1') },
      { pointer: '/4', code: 'invalid_type' },
    ],
  });
  const lines = await post('litellm', { raw: `${JSON.stringify(record)}\nno JSON` });
  expect(lines.body).toMatchObject({ accepted: 1, errors: [{ pointer: '/1', code: 'invalid_json' }] });
  const span = { name: 'chat', attributes: [{ key: 'gen_ai.request.model', value: { stringValue: 'openai/gpt-4o' } }] };
  const spans = await post('openrouter', { body: { resourceSpans: [{ scopeSpans: [{ spans: [span, 7, null] }] }] } });
  expect(spans.body).toMatchObject({
    accepted: 0,
    errors: [{ pointer: '/resourceSpans/0/scopeSpans/0/spans/0', code: 'required' }],
  });
});

test('D11.2: what is no record at all is refused with what to send, and never a 500', async () => {
  const project = await farthing.createProject();
  const post = (path: string, options: SendOptions) =>
    farthing.send('POST', `${project.intakePath}${path}/`, { token: project.secret, ...options });
  expectProblem(await post('litellm', { raw: 'no JSON\nat all' }), 400, 'invalid_json');
  expectProblem(await post('litellm', { body: {} }), 400, 'invalid_body');
  expectProblem(await post('litellm', { body: 7 }), 400, 'invalid_body');
  expectProblem(await post('openrouter', { raw: '{' }), 400, 'invalid_json');
  expectProblem(await post('openrouter', { body: [record] }), 400, 'invalid_body');
  expectProblem(await post('openrouter', { body: { id: 1 } }), 400, 'invalid_body');
  expect((await post('openrouter', { body: { resourceSpans: [{}, 7] } })).body).toEqual({ ok: true, accepted: 0 });
});

test('D3.6: a gateway authenticates as every client does', async () => {
  const project = await farthing.createProject();
  for (const path of ['litellm', 'openrouter']) {
    const answer = await farthing.send('POST', `${project.intakePath}${path}/`, { token: 'fs_wrong', body: [record] });
    expectProblem(answer, 401, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  }
});
