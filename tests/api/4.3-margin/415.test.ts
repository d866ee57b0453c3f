import { test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { postMargin } from '../../support/margin.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/x-ndjson', 'nonsense'])(
  '4: a body of type %s is a 415',
  async (contentType) => {
    const project = await farthing.createProject();
    const answer = await postMargin(project, { date_from: '2024-05-01', date_to: '2024-05-01' }, { contentType });
    expectProblem(answer, 415, 'unsupported_media_type');
  },
);
