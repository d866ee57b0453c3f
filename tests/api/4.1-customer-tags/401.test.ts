import { test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('5: customer tags without a key, or with a client’s secret, are a 401', async () => {
  const project = await farthing.createProject();
  const body = { customers: [{ customer_name: 'a', tags: { plan: 'pro' } }] };
  for (const token of [undefined, 'nonsense', project.secret]) {
    const answer = await farthing.send('POST', '/api/customer-tags/', { body, token });
    expectProblem(answer, 401, 'unauthenticated');
  }
});
