import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const body = { date_from: '2024-05-01', date_to: '2024-05-01' };

test('D1.2: margin needs the scope read', async () => {
  const project = await farthing.createProject();
  const [reader, writer] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  expect((await farthing.send('POST', '/api/margin/', { body, token: reader.api_key })).status).toBe(200);
  expectProblem(await farthing.send('POST', '/api/margin/', { body, token: writer.api_key }), 403, 'forbidden');
});
