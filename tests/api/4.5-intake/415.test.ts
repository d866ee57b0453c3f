import { expect, test } from 'vitest';
import { costEvent, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'nonsense'])(
  '4.5: a body of type %s is a 415',
  async (contentType) => {
    const project = await farthing.createProject();
    const answer = await project.intake({ body: costEvent({ cost: 1 }), contentType });
    expectProblem(answer, 415, 'unsupported_media_type');
    expect(await project.costBy('customer')).toEqual({});
  },
);

test('D3.3: an unsupported content encoding is a 415', async () => {
  const project = await farthing.createProject();
  const answer = await project.intake({ body: costEvent({ cost: 1 }), headers: { 'content-encoding': 'compress' } });
  expectProblem(answer, 415, 'unsupported_media_type');
});
