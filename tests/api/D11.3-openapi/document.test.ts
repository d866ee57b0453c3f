import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
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
  const faults = someOf(operations, 40).flatMap(({ key, requestBody, responses }) => [
    ...findBadExamples(`${key} body`, requestBody?.content ?? {}, (schema) => schema),
    ...Object.entries(responses).flatMap(([status, { content }]) =>
      findBadExamples(`${key} ${status}`, content, close),
    ),
  ]);
  expect(faults).toEqual([]);
});

function findBadExamples(where: string, content: Record<string, Media>, prepare: typeof close): string[] {
  return Object.values(content).flatMap((media) =>
    examplesOf(media).flatMap((example) =>
      findFaults(prepare(media.schema ?? {}), example).map((fault) => `${where}: ${fault}`),
    ),
  );
}

test('D11.3: every object and every choice of values has a name, and one name says one thing', async () => {
  const { body } = await farthing.send('GET', '/openapi.json');
  const { paths, components } = body as { paths: unknown; components: { schemas: Record<string, unknown> } };
  const names = Object.keys(components.schemas);
  expect(names).toEqual(expect.arrayContaining(['Aggregate', 'CostsAnswer', 'CostsBody', 'CostsRow', 'Problem']));
  expect(names.filter((name) => !/^[A-Z][A-Za-z0-9]*[A-Za-z]$/.test(name))).toEqual([]);
  // Generators take a title for the name, and what is of two kinds of lists for the first.
  expect(names.filter((name) => 'title' in Object(components.schemas[name]))).toEqual([]);
  expect(JSON.stringify(components)).not.toContain('"not":{}');
  const unnamed = [
    ...listUnnamed(paths, ''),
    ...names.flatMap((name) => listUnnamed(components.schemas[name], name, true)),
  ];
  expect(unnamed).toEqual([]);
});

/** Where the document says itself, and not by a name, what an object of JSON has, or which values a text may have. */
function listUnnamed(part: unknown, place: string, isNamed = false): string[] {
  if (typeof part !== 'object' || part === null || place.endsWith('/examples') || place.endsWith('/example')) return [];
  const { type, properties, enum: values } = part as Record<string, unknown>;
  const isOne =
    (type === 'object' && Object.keys(Object(properties)).length > 0) || (Array.isArray(values) && values.length > 1);
  // The names of a map are texts in every language.
  const within = Object.entries(part).flatMap(([name, one]) =>
    name === 'propertyNames' ? [] : listUnnamed(one, `${place}/${name}`),
  );
  return isOne && !isNamed ? [place, ...within] : within;
}

test('D11.3: a null for a field that may be left out is as if it were left out', async () => {
  const project = await farthing.createProject();
  const operations = (await readAll()).filter(({ requestBody }) => requestBody?.content['application/json']);
  const refused = await Promise.all(
    operations.map(async ({ key, method, path, requestBody, security }) => {
      const media = requestBody?.content['application/json'] ?? {};
      const [example] = examplesOf(media);
      const { properties, required = [] } = media.schema ?? {};
      const nulls = Object.keys(Object(properties)).filter(
        (name) => ![required].flat().includes(name) && !Object.hasOwn(Object(example), name),
      );
      if (nulls.length === 0) return [];
      const body = { ...Object(example), ...Object.fromEntries(nulls.map((name) => [name, null])) };
      const isAdmin = !security.some((scheme) => 'apiKey' in scheme);
      const answer = await farthing.send(method, path.replaceAll(/\{\w+\}/g, 'x'), {
        token: isAdmin ? farthing.adminToken : project.apiKey,
        body,
      });
      const { errors = [] } = Object(answer.body) as { errors?: readonly { pointer: string }[] };
      return errors.filter(({ pointer }) => nulls.includes(pointer.slice(1))).map(({ pointer }) => `${key} ${pointer}`);
    }),
  );
  expect(refused.flat()).toEqual([]);
  const costs = { date_from: '2026-01-01', date_to: null, limit: null, cursor: null, customers: null, group_by: null };
  expect((await project.api('POST', '/api/costs/', costs)).status).toBe(200);
  expect((await project.api('POST', '/api/files/costs/?format=csv', costs)).status).toBe(200);
  const entries = [{ external_id: 'a', customer: 'acme', amount: 1, date_from: '2026-01-01', date_to: null }];
  expect((await project.api('POST', '/api/revenue/', { entries })).status).toBe(200);
  const needed = await project.api('POST', '/api/costs/', { date_from: null });
  expect(needed.body).toMatchObject({ errors: [{ pointer: '/date_from', code: 'invalid_type' }] });
});

test('D11.3: every operation has a unique id', async () => {
  const ids = (await readAll()).map(({ operationId }) => operationId);
  expect(ids.length).toBeGreaterThan(20);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(['costs', 'call', 'postCustomerTags', 'getProjects', 'costsFile']));
});

test('D11.3: every route names the credentials that it accepts', async () => {
  const operations = await readAll();
  const security = Object.fromEntries(operations.map(({ key, security }) => [key, security]));
  expect(security).toMatchObject({
    'GET /healthz': [],
    'POST /api/costs/': [{ apiKey: ['read'] }, { adminToken: [] }, { session: ['read'] }, { member: ['viewer'] }],
    'POST /api/customer-tags/': [
      { apiKey: ['write'] },
      { adminToken: [] },
      { session: ['write'] },
      { member: ['editor'] },
    ],
    'GET /admin/projects/': [{ adminToken: [] }, { session: [] }, { member: ['admin'] }],
    'POST /intake/{client_id}/': [{ clientSecret: [] }],
  });
  const headers = (key: string) =>
    operations
      .find((operation) => operation.key === key)
      ?.parameters.flatMap(({ in: place, name }) => (place === 'header' ? [name] : []));
  expect(headers('POST /api/costs/')).toEqual(['Farthing-Project', 'Farthing-Consistency']);
  expect(headers('GET /admin/projects/')).toEqual([]);
});
