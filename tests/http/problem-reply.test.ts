// The headers of a problem, on a route that has waited for calls before it refuses.
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createApp } from '../../src/lib/http/create-app.ts';
import { Problem, type ProblemCode } from '../../src/lib/problem.ts';

const asOf = '2026-11-21T09:04:11.482Z';

test.each<[ProblemCode, string | undefined]>([
  ['not_found', asOf],
  ['conflict', undefined],
  ['invalid_body', undefined],
  ['unavailable', undefined],
])('D4.7, D11.3: of the problems only not_found is of an instant: %s', async (code, expected) => {
  const app = createApp(pino({ level: 'silent' }), (routes) => {
    routes.get('/api/things/', { config: { access: 'public' }, schema: { summary: 'Things' } }, (_request, reply) => {
      reply.header('farthing-as-of', asOf);
      throw new Problem(code, 'It is refused.');
    });
  });
  try {
    const answer = await app.inject({ method: 'GET', url: '/api/things/' });
    expect(answer.json()).toMatchObject({ code });
    expect(answer.headers['farthing-as-of']).toBe(expected);
  } finally {
    await app.close();
  }
});
