import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const path = '/api/prices/reprice/';
const days = { date_from: '2024-05-01', date_to: '2024-05-31' };
const override = { model: 'm1', input_per_mtok: 1, output_per_mtok: 1 };

test('D11.1, D22: every fault of an assumption is reported', async () => {
  const project = await farthing.createProject();
  const ask = (assume: unknown, fields = {}) => project.api('POST', path, { ...days, assume, ...fields });
  for (const assume of [5, 'gpt-4o', []]) expectInvalid(await ask(assume), ['/assume']);
  expectInvalid(await ask({}), ['/assume']);
  expectInvalid(await ask({ models: {}, overrides: [] }), ['/assume/models', '/assume/overrides']);
  expectInvalid(await ask({ models: { a: '', b: 5, '': 'm1' }, cached_share: 1.1, service_tier: '', x: 1 }), [
    '/assume/models/a',
    '/assume/models/b',
    '/assume/models/',
    '/assume/cached_share',
    '/assume/service_tier',
    '/assume/x',
  ]);
  expectInvalid(await ask({ models: { a: 'a', b: 'gpt-4o', c: 'c' } }), ['/assume/models/a', '/assume/models/c']);
  for (const cached_share of [-0.1, 'half', 0.1234567]) {
    expectInvalid(await ask({ cached_share }), ['/assume/cached_share']);
  }
  const faulty = { ...override, output_per_mtok: -1, model: 'a*b', effective_from: '2024-05-02', colour: 1 };
  expectInvalid(await ask({ overrides: [override, faulty] }), [
    '/assume/overrides/1/output_per_mtok',
    '/assume/overrides/1/model',
    '/assume/overrides/1/colour',
  ]);
  const backwards = { ...override, effective_from: '2024-05-02', effective_to: '2024-05-01' };
  expectInvalid(await ask({ overrides: [backwards] }), ['/assume/overrides/0/effective_from']);
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`a${index}`, 'gpt-4o']));
  expectInvalid(await ask({ models: many, overrides: Array.from({ length: 51 }, () => override) }), [
    '/assume/models',
    '/assume/overrides',
  ]);
});

test('D22: a what-if is never put in force, and reads no text again', async () => {
  const project = await farthing.createProject();
  const assume = { overrides: [override] };
  expectInvalid(await project.api('POST', path, { ...days, assume, dry_run: false, reread: true }), [
    '/dry_run',
    '/reread',
  ]);
});

test('D22: a model that nobody sells is refused by name, unless a price is assumed for it', async () => {
  const project = await farthing.createProject();
  const ask = (assume: unknown) => project.api('POST', path, { ...days, assume });
  const models = { a: 'gpt-99', b: 'gpt-4o', c: 'hose-llm', 'd/e': 'gpt-99' };
  const answer = await ask({ models });
  expectInvalid(answer, ['/assume/models/a', '/assume/models/c', '/assume/models/d~1e']);
  const { detail } = expectProblem(answer, 400, 'invalid_body');
  expect(detail).toContain('gpt-99 has no price, hose-llm has no price');
  const overrides = ['gpt-99', 'hose-*'].map((model) => ({ ...override, model, provider: 'own' }));
  expect((await ask({ models, overrides })).status).toBe(202);
  await project.addPrice({ ...override, model: 'gpt-99' });
  expectInvalid(await ask({ models }), ['/assume/models/c']);
});

test('D2, D22: a what-if needs the scope read, and a change the scope write', async () => {
  const project = await farthing.createProject();
  const [{ api_key: reader }, { api_key: writer }] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  const whatIf = { ...days, assume: { overrides: [override] } };
  const send = (body: unknown, token?: string) => farthing.send('POST', path, { body, ...(token && { token }) });
  expectProblem(await send(whatIf), 401, 'unauthenticated');
  expect(expectProblem(await send(whatIf, writer), 403, 'forbidden').detail).toContain('scope read');
  expect(expectProblem(await send(days, reader), 403, 'forbidden').detail).toContain('scope write');
  expect((await send(whatIf, reader)).status).toBe(202);
  expect((await send(days, writer)).status).toBe(202);
});
