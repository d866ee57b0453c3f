import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D3.6: every failure of authentication has the same answer', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const revoked = await project.createSecret(project.clientId);
  const revocation = await farthing.admin(
    'DELETE',
    `${project.adminPath}/clients/${project.clientId}/secrets/${revoked.id}/`,
  );
  expect(revocation.status).toBeLessThan(300);
  const body = costEvent({ cost: 1 });
  const attempts = [
    { path: project.intakePath },
    { path: project.intakePath, token: 'nonsense' },
    { path: project.intakePath, token: `${project.secret}x` },
    { path: project.intakePath, token: other.secret },
    { path: project.intakePath, token: project.apiKey },
    { path: project.intakePath, token: farthing.adminToken },
    { path: project.intakePath, token: revoked.secret },
    { path: `/intake/${randomUUID()}/`, token: project.secret },
    { path: '/intake/not-a-uuid/', token: project.secret },
    { path: `/intake/${project.clientId}x/`, token: project.secret },
  ];
  const shapes = new Set<string>();
  for (const { path, token } of attempts) {
    const answer = await farthing.send('POST', path, { body, token });
    const { request_id: _, ...rest } = expectProblem(answer, 401, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    shapes.add(JSON.stringify(rest));
  }
  expect([...shapes]).toHaveLength(1);
  expect(await project.costBy('customer')).toEqual({});
  expect(await other.costBy('customer')).toEqual({});
});

test('D3.6: authentication comes before the body', async () => {
  const project = await farthing.createProject();
  const answer = await farthing.send('POST', project.intakePath, { raw: '{', token: 'nonsense' });
  expectProblem(answer, 401, 'unauthenticated');
});

test('D1.3: several secrets are valid at once, and one can be revoked without touching the other', async () => {
  const project = await farthing.createProject();
  const second = await project.createSecret(project.clientId);
  const post = async (token: string) =>
    await farthing.send('POST', project.intakePath, { body: costEvent({ cost: 1 }), token });
  expectStatus(await post(project.secret), 200);
  expectStatus(await post(second.secret), 200);
  const path = `${project.adminPath}/clients/${project.clientId}/secrets/${second.id}/`;
  expect((await farthing.admin('DELETE', path)).status).toBeLessThan(300);
  expectProblem(await post(second.secret), 401, 'unauthenticated');
  expectStatus(await post(project.secret), 200);
  expect(await project.totalCost()).toBe(3);
});
