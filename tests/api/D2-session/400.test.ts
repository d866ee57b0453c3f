import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const post = (body: unknown) => farthing.send('POST', '/session/', { body });

test('D2: a sign-in has either a key or the admin token', async () => {
  expectInvalid(await post({}), ['']);
  expectInvalid(await post({ api_key: 'a', admin_token: 'b' }), ['']);
});

test('D11.1: every fault of a sign-in is reported at once', async () => {
  expectInvalid(await post({ api_key: 7, admin_token: '', remember: true }), ['/api_key', '/admin_token', '/remember']);
  expectProblem(await farthing.send('POST', '/session/', { raw: '{' }), 400, 'invalid_json');
  const text = await farthing.send('POST', '/session/', { raw: '{}', contentType: 'text/plain' });
  expectProblem(text, 415, 'unsupported_media_type');
});

test('D11.2: PUT and PATCH of a session are a 405', async () => {
  for (const method of ['PUT', 'PATCH']) {
    const answer = await farthing.send(method, '/session/', { body: {} });
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('DELETE, GET, HEAD, POST');
  }
});
