import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { createInternalProject } from '../../support/performance.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D11.1: every fault is reported at once', async () => {
  const project = await createInternalProject(farthing);
  const answer = await project.postUserTags(
    [
      { user_name: '', tags: {} },
      { customer_name: 'a', tags: {} },
      { user_name: 'a', tags: { x: 5 } },
    ],
    { upsert: 'yes', customers: [] },
  );
  expectInvalid(answer, [
    '/users/0/user_name',
    '/users/1/user_name',
    '/users/1/customer_name',
    '/users/2/tags/x',
    '/upsert',
    '/customers',
  ]);
});

test('D10.2: the same key twice for one user, and more than 1000 users, are a 400', async () => {
  const project = await createInternalProject(farthing);
  const twice = ['one', null].map((value) => ({ user_name: 'a', tags: { team: value } }));
  expectInvalid(await project.postUserTags(twice, { upsert: true }), ['/users/1/tags/team']);
  const many = Array.from({ length: 1001 }, (_, index) => ({ user_name: `u${index}`, tags: {} }));
  expectInvalid(await project.postUserTags(many), ['/users']);
});

test('D10.3: a user has at most 100 tags', async () => {
  const project = await createInternalProject(farthing);
  const tags = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, 'v']));
  const problem = expectInvalid(await project.postUserTags([{ user_name: 'a', tags }]), ['/users/0/tags']);
  expect(problem.detail).toContain('user');
});

test('D10.1: without upsert an existing tag is a 409 that names users, and nothing changes', async () => {
  const project = await createInternalProject(farthing);
  expectStatus(await project.postUserTags([{ user_name: 'a', tags: { team: 'one' } }]), 200);
  const again = [
    { user_name: 'b', tags: { team: 'two' } },
    { user_name: 'a', tags: { team: 'one' } },
  ];
  const problem = expectProblem(await project.postUserTags(again), 409, 'conflict');
  expect(problem.conflicts).toEqual([{ user_name: 'a', key: 'team' }]);
  // The refused request stored nothing for b, so its tag can be set.
  expectStatus(await project.postUserTags([{ user_name: 'b', tags: { team: 'two' } }]), 200);
});

test('D2: user tags need the scope write', async () => {
  const project = await createInternalProject(farthing);
  const { api_key: token } = await project.createKey({ scopes: ['read'] });
  const body = { users: [] };
  expectProblem(await farthing.send('POST', '/api/user-tags/', { body, token }), 403, 'forbidden');
  expectProblem(await farthing.send('POST', '/api/user-tags/', { body }), 401, 'unauthenticated');
  const answer = await project.api('GET', '/api/user-tags/');
  expectProblem(answer, 405, 'method_not_allowed');
  expect(answer.headers.get('allow')).toBe('POST');
  const text = await project.api('POST', '/api/user-tags/', body, { contentType: 'text/plain' });
  expectProblem(text, 415, 'unsupported_media_type');
});
