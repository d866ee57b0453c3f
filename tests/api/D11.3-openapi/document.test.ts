import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { drawOf } from '../../support/draw.ts';
import { seed } from '../../support/effort.ts';
import { once } from '../../support/once.ts';
import {
  close,
  examplesOf,
  findFaults,
  type Media,
  type Operation,
  readOperations,
  readTags,
} from '../../support/openapi.ts';

const farthing = sharedFarthing();
const readAll = once(() => readOperations(farthing));

test('D11.3: the document is valid OpenAPI 3.1', async () => {
  const { text } = await farthing.send('GET', '/openapi.json');
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('D11.3: every route has a summary, a description, a tag and examples', async () => {
  const [operations, tags] = await Promise.all([readAll(), readTags(farthing)]);
  expect(operations.flatMap((operation) => listLacks(operation, tags))).toEqual([]);
});

/** The missing parts of a route's description, each with the place to add it. */
function listLacks(operation: Operation, tags: ReadonlyMap<string, string | undefined>): string[] {
  const { key, summary, description, parameters, requestBody, responses } = operation;
  const lacks: string[] = [];
  const ask = (what: string) => lacks.push(`${key}: ${what}`);
  if (!summary) ask('give its schema a summary');
  if (!description) ask('give its schema a description');
  if (operation.tags.length !== 1) ask('give its schema one tag');
  for (const tag of operation.tags) if (!tags.get(tag)) ask(`add the tag ${tag} to src/lib/http/openapi-tags.ts`);
  for (const { in: place, name, description: about } of parameters) {
    if (!about) ask(`describe its ${place} parameter ${name}: .describe('…')`);
  }
  const hasExamples = (media: Media) => examplesOf(media).length > 0;
  if (requestBody && !Object.values(requestBody.content).every(hasExamples)) {
    ask('give the schema of its body .meta({ examples: [{ … }] })');
  }
  for (const [status, { description: about, content }] of Object.entries(responses)) {
    if (about === 'Default Response')
      ask(`give the schema of its ${status} .meta({ description: '…' }) or .describe('…')`);
    if (Number(status) < 300 && !Object.values(content).every(hasExamples)) {
      ask(`give the schema of its ${status} .meta({ examples: [{ … }] }), or an example to pageOf(row, example)`);
    }
  }
  return lacks;
}

test('D11.3: every example matches its schema', async () => {
  const operations = await readAll();
  const faults = drawOf(operations, 40).flatMap(({ key, requestBody, responses }) => [
    ...findBadExamples(`${key} body`, requestBody?.content ?? {}, (schema) => schema),
    ...Object.entries(responses).flatMap(([status, { content }]) =>
      findBadExamples(`${key} ${status}`, content, close),
    ),
  ]);
  expect(faults, `TEST_SEED=${seed}`).toEqual([]);
});

function findBadExamples(where: string, content: Record<string, Media>, prepare: typeof close): string[] {
  return Object.values(content).flatMap((media) =>
    examplesOf(media).flatMap((example) =>
      findFaults(prepare(media.schema ?? {}), example).map((fault) => `${where}: ${fault}`),
    ),
  );
}

test('D11.3: every operation has a unique id', async () => {
  const ids = (await readAll()).map(({ operationId }) => operationId);
  expect(ids.length).toBeGreaterThan(20);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toContain('postApiCosts');
});

test('D11.3: every route names the credentials that it accepts', async () => {
  const operations = await readAll();
  const security = Object.fromEntries(operations.map(({ key, security }) => [key, security]));
  expect(security).toMatchObject({
    'GET /healthz': [],
    'POST /api/costs/': [{ apiKey: ['read'] }, { adminToken: [] }, { session: ['read'] }],
    'POST /api/customer-tags/': [{ apiKey: ['write'] }, { adminToken: [] }, { session: ['write'] }],
    'GET /admin/projects/': [{ adminToken: [] }, { session: [] }],
    'POST /intake/{client_id}/': [{ clientSecret: [] }],
  });
  const headers = (key: string) =>
    operations
      .find((operation) => operation.key === key)
      ?.parameters.flatMap(({ in: place, name }) => (place === 'header' ? [name] : []));
  expect(headers('POST /api/costs/')).toEqual(['Farthing-Project', 'Farthing-Consistency']);
  expect(headers('GET /admin/projects/')).toEqual([]);
});
