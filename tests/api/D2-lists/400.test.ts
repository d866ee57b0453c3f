import { expect, test } from 'vitest';
import { costEvent, sharedFarthing } from '../../support/client.ts';
import { once } from '../../support/once.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D11.1: unknown parameters are named, and every fault is reported at once', async () => {
  const project = await farthing.createProject();
  const answer = await project.api('GET', `/api/customers/?colour=red&__proto__=x&limit=0&search=${'x'.repeat(1025)}`);
  expectInvalid(answer, ['/__proto__', '/colour', '/limit', '/search'], 'invalid_query');
});

const projectOfLimits = once(() => farthing.createProject());

test.each(['0', '1001', '-1', '1.5', '1e2', '', ' 5', '５', 'many', '9'.repeat(400)])(
  'D6.5: limit=%s is a 400',
  async (limit) => {
    const project = await projectOfLimits();
    const answer = await project.api('GET', `/api/models/?limit=${encodeURIComponent(limit)}`);
    expectInvalid(answer, ['/limit'], 'invalid_query');
  },
);

test('D11.1: a parameter given twice is a 400', async () => {
  const project = await farthing.createProject();
  const answer = await project.api('GET', '/api/users/?search=a&search=b&limit=1&limit=2');
  expectInvalid(answer, ['/search', '/limit'], 'invalid_query');
});

test('D6.4: a cursor is bound to the route, the project and the search', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const events = ['ab', 'ac'].map((name) => costEvent({ cost: 1, tags: { customer: name, user: name } }));
  await project.post(...events);
  await other.post(...events);
  const { body } = await project.api('GET', '/api/customers/?limit=1&search=a');
  const { next_cursor: cursor } = body as { next_cursor: string };
  expect((await project.api('GET', `/api/customers/?search=a&limit=9&cursor=${cursor}`)).status).toBe(200);
  const refused = [
    await project.api('GET', `/api/users/?search=a&cursor=${cursor}`),
    await project.api('GET', `/api/customers/?cursor=${cursor}`),
    await project.api('GET', `/api/customers/?search=b&cursor=${cursor}`),
    await other.api('GET', `/api/customers/?search=a&cursor=${cursor}`),
    await project.api('GET', `/api/customers/?search=a&cursor=${cursor.slice(0, -2)}`),
    await project.api('GET', '/api/customers/?search=a&cursor='),
    await project.api('GET', '/api/customers/?search=a&cursor=nonsense'),
  ];
  for (const answer of refused) expectProblem(answer, 400, 'invalid_cursor');
});
