import { expect, test } from 'vitest';
import { costEvent, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D1.2: customer tags need the scope write', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1, tags: { customer: 'a' } }));
  const [reader, writer] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  const body = { customers: [{ customer_name: 'a', tags: { plan: 'pro' } }] };
  const read = await farthing.send('POST', '/api/customer-tags/', { body, token: reader.api_key });
  expectProblem(read, 403, 'forbidden');
  expect(await project.totalCost({ customer_tags: { plan: 'pro' } })).toBe(0);
  const write = await farthing.send('POST', '/api/customer-tags/', { body, token: writer.api_key });
  expect(write.status).toBe(200);
  expect(await project.totalCost({ customer_tags: { plan: 'pro' } })).toBe(1);
});
