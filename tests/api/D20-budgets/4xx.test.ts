import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';
import { addBudget, budgetPath } from './support.ts';

const farthing = sharedFarthing();
const plain = { name: 'b', amount: 1, period: 'day' };

test('D11.1, D20.1: an invalid budget is a 400 that names every fault', async () => {
  const project = await farthing.createProject();
  const cases: [unknown, string[]][] = [
    [{}, ['/name', '/amount', '/period']],
    [{ ...plain, colour: 'red' }, ['/colour']],
    [{ ...plain, name: '' }, ['/name']],
    [{ ...plain, name: 'a\0b' }, ['/name']],
    [{ ...plain, name: 'x'.repeat(129) }, ['/name']],
    [{ ...plain, amount: 0 }, ['/amount']],
    [{ ...plain, amount: '-1' }, ['/amount']],
    [{ ...plain, amount: '0.0000000000001' }, ['/amount']],
    [{ ...plain, period: 'year' }, ['/period']],
    [{ ...plain, each: 'model' }, ['/each']],
    [{ ...plain, scope: { customers: [] } }, ['/scope/customers']],
    [{ ...plain, scope: { customer: 'a', customers: [5] } }, ['/scope/customer', '/scope/customers/0']],
    [{ ...plain, scope: { run_tags: { a: ['b'] }, model: 5 } }, ['/scope/run_tags', '/scope/model']],
    [{ ...plain, scope: { customer_tags: {} } }, ['/scope/customer_tags']],
    [{ ...plain, scope: { customer_tags: { plan: [] } } }, ['/scope/customer_tags/plan']],
    [{ ...plain, scope: { features: Array.from({ length: 1001 }, (_, i) => `f${i}`) } }, ['/scope/features']],
    [{ ...plain, thresholds: [] }, ['/thresholds']],
    [{ ...plain, thresholds: [50, 80, 50] }, ['/thresholds']],
    [{ ...plain, thresholds: [0, 50, 1001, 2.5] }, ['/thresholds/0', '/thresholds/2', '/thresholds/3']],
    [
      { name: 5, amount: 'x', period: 1, scope: [], each: 1, thresholds: {}, apply_credits: 'no' },
      ['/name', '/amount', '/period', '/scope', '/each', '/thresholds', '/apply_credits'],
    ],
  ];
  for (const [body, pointers] of cases) expectInvalid(await project.api('POST', '/api/budgets/', body), pointers);
  expectInvalid(await project.api('PUT', budgetPath('x'.repeat(129)), { amount: 1, period: 'day' }), ['/name']);
  expectInvalid(await project.api('PUT', budgetPath('b'), plain), ['/name']);
  expect(expectStatus(await project.api('GET', '/api/budgets/'), 200)).toEqual({ budgets: [] });
});

longTest('D20.1: a name is taken once, and a project has at most 200 budgets', async () => {
  const project = await farthing.createProject();
  for (let made = 0; made < 200; made += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, index) => addBudget(project, { name: `b${made + index}` })));
  }
  expectProblem(await project.api('POST', '/api/budgets/', { ...plain, name: 'b0' }), 409, 'conflict');
  expectProblem(await project.api('POST', '/api/budgets/', { ...plain, name: 'more' }), 409, 'conflict');
  expectProblem(await project.api('PUT', budgetPath('more'), { amount: 1, period: 'day' }), 409, 'conflict');
  expectStatus(await project.api('PUT', budgetPath('b0'), { amount: 1, period: 'day' }), 200);
  // All of them can be checked.
  expectStatus(await project.api('GET', `${budgetPath('b199')}check/`), 200);
});

test('D20.1, D20.2: `of` names a value where there is one for each, and only there', async () => {
  const project = await farthing.createProject();
  await Promise.all([addBudget(project, { name: 'one' }), addBudget(project, { name: 'many', each: 'user' })]);
  for (const path of [budgetPath('one'), `${budgetPath('one')}check/`]) {
    expectInvalid(await project.api('GET', `${path}?of=ann`), ['/of'], 'invalid_query');
    expectInvalid(await project.api('GET', `${path}?to=ann`), ['/to'], 'invalid_query');
  }
  const check = `${budgetPath('many')}check/`;
  expectInvalid(await project.api('GET', check), ['/of'], 'invalid_query');
  expectInvalid(await project.api('GET', `${check}?of=`), ['/of'], 'invalid_query');
  expectInvalid(await project.api('GET', `${check}?of=${'x'.repeat(1025)}`), ['/of'], 'invalid_query');
  expectInvalid(await project.api('GET', `${check}?of=a&of=b`), ['/of'], 'invalid_query');
});

test('D2, D20: a budget is of its project; reading needs the scope read, and writing the scope write', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  await addBudget(project, {});
  const [reader, writer] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  const path = budgetPath('b');
  for (const readable of ['/api/budgets/', path, `${path}check/`]) {
    expectStatus(await farthing.send('GET', readable, { token: reader.api_key }), 200);
    expectProblem(await farthing.send('GET', readable, { token: writer.api_key }), 403, 'forbidden');
    expectProblem(await farthing.send('GET', readable), 401, 'unauthenticated');
  }
  for (const [method, target] of [
    ['POST', '/api/budgets/'],
    ['PUT', path],
    ['DELETE', path],
  ] as const) {
    const body = method === 'DELETE' ? undefined : plain;
    expectProblem(await farthing.send(method, target, { body, token: reader.api_key }), 403, 'forbidden');
  }
  for (const target of [path, `${path}check/`]) {
    expectProblem(await other.api('GET', target), 404, 'not_found');
  }
  expectProblem(await other.api('DELETE', path), 404, 'not_found');
});
