import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { createInternalProject, type InternalProject } from '../../support/performance.ts';

const farthing = sharedFarthing();

/** The users that have these tags and calls. */
async function usersWith(project: InternalProject, user_tags: Record<string, string>): Promise<(string | undefined)[]> {
  const query = { date_from: '2024-05-15', date_to: '2024-05-15', group_by: 'user', user_tags };
  return (await project.allPerformance(query)).map(({ user }) => user);
}

async function projectWithUsers(...users: string[]): Promise<InternalProject> {
  const project = await createInternalProject(farthing);
  await project.post(...users.map((user) => costEvent({ cost: 1, tags: { user } })));
  return project;
}

test('D2: user tags are set, overwritten with upsert, and deleted by null', async () => {
  const project = await projectWithUsers('a', 'b');
  const set = await project.postUserTags([
    { user_name: 'a', tags: { team: 'one', office: 'eu' } },
    { user_name: 'b', tags: { team: 'two' } },
  ]);
  expect(expectStatus(set, 200)).toEqual({ ok: true, users_updated: 2 });
  expect(await usersWith(project, { team: 'one', office: 'eu' })).toEqual(['a']);
  const changed = await project.postUserTags([{ user_name: 'a', tags: { team: 'two', office: null } }], {
    upsert: true,
  });
  expect(expectStatus(changed, 200)).toEqual({ ok: true, users_updated: 1 });
  expect(await usersWith(project, { team: 'two' })).toEqual(['a', 'b']);
  expect(await usersWith(project, { office: 'eu' })).toEqual([]);
});

test('D10.2: entries of one user merge, and users_updated counts distinct users', async () => {
  const project = await projectWithUsers('a');
  const answer = await project.postUserTags([
    { user_name: 'a', tags: { team: 'one' } },
    { user_name: 'b', tags: {} },
    { user_name: 'a', tags: { office: 'eu' } },
  ]);
  expect(expectStatus(answer, 200)).toEqual({ ok: true, users_updated: 2 });
  expect(await usersWith(project, { team: 'one', office: 'eu' })).toEqual(['a']);
});

test('D10: a customer and a user of the same name have separate tags', async () => {
  const project = await projectWithUsers('a');
  expectStatus(await project.postTags([{ customer_name: 'a', tags: { plan: 'pro' } }]), 200);
  expect(await usersWith(project, { plan: 'pro' })).toEqual([]);
  expectStatus(await project.postUserTags([{ user_name: 'a', tags: { plan: 'free' } }]), 200);
  expect(await usersWith(project, { plan: 'free' })).toEqual(['a']);
  expect(await project.totalCost({ customer_tags: { plan: 'free' } })).toBe(0);
});

test('8: a thousand users in one call', async () => {
  const project = await projectWithUsers('u999');
  const users = Array.from({ length: 1000 }, (_, index) => ({ user_name: `u${index}`, tags: { n: `${index}` } }));
  expect(expectStatus(await project.postUserTags(users), 200)).toEqual({ ok: true, users_updated: 1000 });
  expect(await usersWith(project, { n: '999' })).toEqual(['u999']);
});
