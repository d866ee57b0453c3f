import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
import { compareWithDocument, examplesOf, readOperations } from '../../support/openapi.ts';
import { credentialsFor, fillPath, listRefusals } from './bad-requests.ts';

const farthing = sharedFarthing();

test('D11.3: the refusals of every route match the OpenAPI document', async () => {
  const [operations, project] = await Promise.all([readOperations(farthing), farthing.createProject()]);
  const [reader, writer] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  const keys = { project, reader: reader.api_key, writer: writer.api_key };
  const faults = await Promise.all(
    someOf(operations, 40).flatMap((operation) =>
      listRefusals(operation, farthing, keys).map(async ({ name, statuses, send }) => {
        const answer = await send();
        const wrong = statuses.includes(answer.status)
          ? []
          : [`${operation.key} with ${name} answered ${answer.status}, not ${statuses.join(' or ')}: ${answer.text}`];
        return [...wrong, ...compareWithDocument(operation, answer)];
      }),
    ),
  );
  expect(faults.flat()).toEqual([]);
});

/** Routes that refuse a project of type revenue. */
const ofInternal: ReadonlySet<string> = new Set(['POST /api/performance/', 'POST /api/files/performance/']);

test('D11.3: every answer with formats says that a project may stream too many of them', async () => {
  const streamed = (await readOperations(farthing)).filter(({ parameters = [] }) =>
    parameters.some(({ name }) => name === 'format'),
  );
  expect(streamed.length).toBeGreaterThan(20);
  expect(streamed.filter(({ responses }) => !('429' in responses)).map(({ key }) => key)).toEqual([]);
});

test('D11.3: every route accepts the examples of its body', async () => {
  const [operations, revenue, internal] = await Promise.all([
    readOperations(farthing),
    farthing.createProject(),
    farthing.createProject({ type: 'internal' }),
  ]);
  const withExamples = operations.flatMap((operation) =>
    examplesOf(operation.requestBody?.content['application/json'] ?? {}).map((body) => ({ operation, body })),
  );
  expect(withExamples.length).toBeGreaterThan(5);
  const sent = await Promise.all(
    someOf(withExamples, 20).map(async ({ operation, body }) => {
      const project = ofInternal.has(operation.key) ? internal : revenue;
      const options = { body, ...credentialsFor(operation, farthing, project) };
      const answer = await farthing.send(operation.method, fillPath(operation.path, project), options);
      return { operation, answer };
    }),
  );
  const refused = sent.filter(({ answer }) => [400, 413, 415, 500].includes(answer.status));
  expect(refused.map(({ operation, answer }) => `${operation.key}: ${answer.text}`)).toEqual([]);
});

test('D11.3: the refusal of a too large body matches the OpenAPI document', async () => {
  const [operations, project] = await Promise.all([readOperations(farthing), farthing.createProject()]);
  const costs = operations.find(({ key }) => key === 'POST /api/costs/');
  if (!costs) throw new Error('costs are not described');
  const answer = await project.postCosts({ date_from: '2024-05-01', customers: ['x'.repeat(5_000_000)] });
  expectStatus(answer, 413);
  expect(compareWithDocument(costs, answer)).toEqual([]);
});
