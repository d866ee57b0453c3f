import { expect, test } from 'vitest';
import { costEvent, expectStatus, type Json, sharedFarthing } from '../../support/client.ts';
import { postSimulation, simulationOf } from '../../support/plans.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';
import { openRawClient } from '../../support/raw-http.ts';
import { erase } from '../D2-erasure/support.ts';

const farthing = sharedFarthing();
const path = (name: string) => `/api/plans/simulations/${encodeURIComponent(name)}/`;
const plan = { name: 'Pro', customers: { names: ['acme'] }, base_per_month: 29 };
const question = { date_from: '2024-04-01', date_to: '2024-06-30', plans: [plan] };

test('D29.2: a simulation is saved, listed, replaced, asked again and deleted under its name', async () => {
  const project = await farthing.createProject();
  const full = {
    ...question,
    target_margin_pct: 70,
    apply_credits: true,
    plans: [
      {
        ...plan,
        customers: { customer_tags: { plan: ['pro', ''], ['__proto__']: ['x'] } },
        included: { unit: 'key_metric:jobs', amount: 0.000000000001 },
        overage: { unit: 'key_metric:jobs', price: '0.02' },
        markup_pct: 12.5,
      },
      { ...plan, name: 'Free', base_per_month: 0 },
    ],
  };
  const made = expectStatus(await project.api('PUT', path('a/b ☃'), full), 201);
  expect(made).toEqual({
    name: 'a/b ☃',
    question: {
      ...full,
      plans: [{ ...full.plans[0], overage: { unit: 'key_metric:jobs', price: 0.02 } }, full.plans[1]],
    },
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(expectStatus(await project.api('GET', path('a/b ☃')), 200)).toEqual(made);

  expectStatus(await project.api('PUT', path('B'), question), 201);
  const replaced = expectStatus(await project.api('PUT', path('a/b ☃'), question), 200) as { question: Json };
  const listed = expectStatus(await project.api('GET', '/api/plans/simulations/'), 200);
  expect(listed).toMatchObject({ simulations: [{ name: 'B' }, { name: 'a/b ☃' }] });
  await project.post({ ...costEvent({ cost: 3 }), timestamp: '2024-05-02T12:00:00Z', tags: { customer: 'acme' } });
  expect(await simulationOf(project, replaced.question)).toEqual(await simulationOf(project, question));

  expectStatus(await project.api('DELETE', path('B')), 204);
  expectProblem(await project.api('DELETE', path('B')), 404, 'not_found');
  expectProblem(await project.api('GET', path('B')), 404, 'not_found');
});

test('D29.2: what cannot be simulated is not saved, and saved simulations are bounded', async () => {
  const project = await farthing.createProject();
  const faulty = { ...question, plans: [{ ...plan, base_per_month: -1 }] };
  expectInvalid(await project.api('PUT', path('x'), faulty), ['/plans/0/base_per_month']);
  expectInvalid(await postSimulation(project, faulty), ['/plans/0/base_per_month']);
  for (const name of ['x'.repeat(129), ' \t']) {
    expectInvalid(await project.api('PUT', path(name), question), ['/name']);
  }
  // Clients shorten these paths: the request is made by hand.
  const raw = openRawClient(farthing.url);
  const headers = { authorization: `Bearer ${project.apiKey}`, 'content-type': 'application/json' };
  const definition = { amount: 1, period: 'day' };
  const unreachable = [
    ['/api/plans/simulations/%2e/', question],
    ['/api/plans/simulations/%2E%2e/', question],
    ['/api/budgets/%2e%2e/', definition],
  ] as const;
  for (const [place, asked] of unreachable) {
    const body = Buffer.from(JSON.stringify(asked));
    expectInvalid(await raw.send({ method: 'PUT', path: place, headers, body }), ['/name']);
  }
  raw.close();
  for (const name of ['..', '\u3000']) {
    expectInvalid(await project.api('POST', '/api/budgets/', { name, ...definition }), ['/name']);
  }
  const internal = await farthing.createProject({ type: 'internal' });
  expectProblem(await internal.api('PUT', path('x'), question), 400, 'wrong_project_type');
  const names = Array.from({ length: 7_000 }, (_, at) => `customer ${at}`);
  expectInvalid(await project.api('PUT', path('x'), { ...question, plans: [{ ...plan, customers: { names } }] }), [
    '/plans',
  ]);
  expect(expectStatus(await project.api('GET', '/api/plans/simulations/'), 200)).toEqual({ simulations: [] });

  for (let at = 0; at < 100; at += 1) expectStatus(await project.api('PUT', path(`s${at}`), question), 201);
  expectProblem(await project.api('PUT', path('one more'), question), 409, 'conflict');
  expectStatus(await project.api('PUT', path('s7'), question), 200);
});

test('D2, D29.2: the erasure of a customer takes it out of saved simulations', async () => {
  const project = await farthing.createProject();
  const of = (...names: string[]) => ({ ...plan, name: names.join(), customers: { names } });
  const save = async (name: string, ...plans: Json[]) =>
    expectStatus(await project.api('PUT', path(name), { ...question, plans }), 201);
  await save('alone', of('acme'));
  await save('both', of('acme', 'globex'), of('acme'));
  await save('none', of('globex'));
  await erase(project, '/api/customers/acme/');
  const listed = expectStatus(await project.api('GET', '/api/plans/simulations/'), 200);
  expect(listed).toMatchObject({ simulations: [{ name: 'both' }, { name: 'none' }] });
  const both = expectStatus(await project.api('GET', path('both')), 200) as { question: Json };
  expect(both.question).toMatchObject({ plans: [{ customers: { names: ['globex'] } }] });
});
