import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { postRevenue } from '../../support/margin.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const entry = { external_id: 'a', customer: 'acme', amount: 1, date_from: '2024-05-01' };

test('D11.2: another method is a 405 that names the right ones', async () => {
  const project = await farthing.createProject();
  for (const [method, path, allow] of [
    ['PUT', '/api/revenue/', 'GET, HEAD, POST'],
    ['DELETE', '/api/revenue/', 'GET, HEAD, POST'],
    ['GET', '/api/revenue/a/', 'DELETE'],
    ['PATCH', '/api/revenue/a/', 'DELETE'],
  ] as const) {
    const answer = await project.api(method, path, method === 'GET' ? undefined : {});
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe(allow);
  }
});

test('D6.5: a body of more than 4 MiB is a 413', async () => {
  const project = await farthing.createProject();
  const body = JSON.stringify({ entries: [entry] });
  const padded = (bytes: number) => body + ' '.repeat(bytes - body.length);
  const post = (raw: string) => project.api('POST', '/api/revenue/', undefined, { raw });
  expectStatus(await post(padded(4 * 1024 * 1024)), 200);
  expectProblem(await post(padded(4 * 1024 * 1024 + 1)), 413, 'payload_too_large');
});

test.each(['text/plain', 'application/x-ndjson'])('D11.2: a body of type %s is a 415', async (contentType) => {
  const project = await farthing.createProject();
  expectProblem(await postRevenue(project, [entry], { contentType }), 415, 'unsupported_media_type');
});
