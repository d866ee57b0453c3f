import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { expectInvalid } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D11.1: every fault of a price is reported at once, and nothing is stored', async () => {
  const project = await farthing.createProject();
  const answer = await project.api('POST', '/api/prices/', {
    model: '',
    provider: 5,
    service_tier: false,
    effective_from: '2024-02-30',
    effective_to: 'never',
    input_per_mtok: -1,
    cache_read_per_mtok: 0.1234567,
    cache_write_per_mtok: 'cheap',
    per_request: -0.5,
    colour: 'red',
  });
  expectInvalid(answer, [
    '/model',
    '/provider',
    '/service_tier',
    '/effective_from',
    '/effective_to',
    '/input_per_mtok',
    '/output_per_mtok',
    '/cache_read_per_mtok',
    '/cache_write_per_mtok',
    '/per_request',
    '/colour',
  ]);
  expect(JSON.stringify(expectStatus(await project.api('GET', '/api/prices/'), 200))).not.toContain('red');
});
