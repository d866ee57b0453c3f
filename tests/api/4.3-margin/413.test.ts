import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D6.5: a body of more than 4 MiB is a 413', async () => {
  const project = await farthing.createProject();
  const body = JSON.stringify({ date_from: '2024-05-01', date_to: '2024-05-01' });
  const padded = (bytes: number) => body + ' '.repeat(bytes - body.length);
  const fits = await project.api('POST', '/api/margin/', undefined, { raw: padded(4 * 1024 * 1024) });
  expect(fits.status).toBe(200);
  const tooLarge = await project.api('POST', '/api/margin/', undefined, { raw: padded(4 * 1024 * 1024 + 1) });
  expectProblem(tooLarge, 413, 'payload_too_large');
});
