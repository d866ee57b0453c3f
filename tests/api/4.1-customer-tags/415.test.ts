import { test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/x-ndjson'])(
  '4: a body of type %s is a 415',
  async (contentType) => {
    const project = await farthing.createProject();
    const body = { customers: [{ customer_name: 'a', tags: { plan: 'pro' } }] };
    const answer = await project.api('POST', '/api/customer-tags/', body, { contentType });
    expectProblem(answer, 415, 'unsupported_media_type');
  },
);
