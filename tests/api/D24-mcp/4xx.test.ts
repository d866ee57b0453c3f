import { UnauthorizedError } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  costEvent,
  expectStatus,
  type Json,
  type Project,
  type SendOptions,
  sharedFarthing,
} from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';
import { connectAssistant, lines } from './assistant.ts';

const farthing = sharedFarthing();
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const post = (project: Project, body: unknown, options: SendOptions = {}) => project.api('POST', '/mcp', body, options);

test('D24.3: without a valid key, 401, also for a session of the page; without the scope read, 403', async () => {
  const project = await farthing.createProject();
  const wrong = expectProblem(await post(project, list, { token: 'fk_none' }), 401, 'unauthenticated');
  expect(wrong.detail).toContain('API key');
  const none = await farthing.send('POST', '/mcp', { body: list });
  expectProblem(none, 401, 'unauthenticated');
  expect(none.headers.get('www-authenticate')).toBe('Bearer');
  const signedIn = await farthing.send('POST', '/session/', { body: { api_key: project.apiKey } });
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const headers = { cookie, origin: farthing.url };
  expectStatus(await farthing.send('POST', '/api/costs/', { headers, body: { date_from: '2024-05-01' } }), 200);
  expectProblem(await farthing.send('POST', '/mcp', { headers, body: list }), 401, 'unauthenticated');
  const { api_key: token } = await project.createKey({ scopes: ['write'] });
  expectProblem(await post(project, list, { token }), 403, 'forbidden');
});

test.each(lines)('D24.3: a client with a wrong key is told so (%s)', async (line) => {
  const project = await farthing.createProject();
  await expect(connectAssistant(project, { line, token: 'fk_none' })).rejects.toSatisfy(
    (error) => error instanceof UnauthorizedError || /401|Authentication/.test(String(error)),
  );
});

test('D24.3: other methods are refused with Allow; a page of another site is refused', async () => {
  const project = await farthing.createProject();
  for (const method of ['GET', 'DELETE']) {
    const answer = await project.api(method, '/mcp');
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('POST');
  }
  for (const origin of ['https://evil.example', 'null', `${farthing.url}.evil.example`]) {
    expectProblem(await post(project, list, { headers: { origin } }), 403, 'forbidden');
  }
  expectStatus(await post(project, list, { headers: { origin: farthing.url } }), 200);
});

test('D24.3: a body that is no message is refused', async () => {
  const project = await farthing.createProject();
  for (const body of [[list], { ...list, jsonrpc: '1.0' }, { jsonrpc: '2.0', id: 1 }, { ...list, id: {} }]) {
    expectProblem(await post(project, body), 400, 'invalid_body');
  }
  expectProblem(await post(project, undefined, { raw: '{' }), 400, 'invalid_json');
  expectProblem(await post(project, undefined, { raw: 'x', contentType: 'text/plain' }), 415, 'unsupported_media_type');
  const tooLarge = { ...list, params: { x: 'x'.repeat(5_000_000) } };
  expectProblem(await post(project, tooLarge), 413, 'payload_too_large');
  const unknown = expectStatus(await post(project, { ...list, method: 'resources/list' }), 200);
  expect(unknown).toMatchObject({ error: { code: -32_601 } });
  expect(
    expectStatus(await post(project, { jsonrpc: '2.0', method: 'notifications/initialized' }), 202),
  ).toBeUndefined();
});

test.each(lines)('D24.3: a refused question is a result with the problem of the route (%s)', async (line) => {
  const project = await farthing.createProject();
  const { ask, client } = await connectAssistant(project, { line });
  const pointersOf = (told: Json) =>
    z
      .array(z.object({ pointer: z.string() }))
      .parse(told.errors)
      .map(({ pointer }) => pointer)
      .toSorted();

  const ranges = await ask('costs', { date_from: '1970-01-01', date_to: '9999-12-31', nonsense: 1, limit: 0 });
  expect(ranges).toMatchObject({
    isError: true,
    told: { status: 400, title: 'The body is not valid', code: 'invalid_body' },
  });
  expect(pointersOf(ranges.told)).toEqual(['/date_from', '/date_to', '/limit', '/nonsense']);
  const long = await ask('costs', { date_from: '2000-01-01', date_to: '2100-12-31' });
  expect(long).toMatchObject({ isError: true, told: { code: 'invalid_body', errors: [{ code: 'out_of_range' }] } });
  const none = await ask('explain_call', { event_id: '../costs' });
  expect(none).toMatchObject({ isError: true, told: { status: 404, code: 'not_found' } });
  expect(pointersOf((await ask('coverage', { date_from: 'x', nonsense: 1 })).told)).toEqual([
    '/date_from',
    '/nonsense',
  ]);
  // A file of a format is for programs: a tool answers a page.
  for (const [name, asked] of [
    ['costs', { date_from: '2024-05-01' }],
    ['customers', {}],
  ] as const) {
    expect(pointersOf((await ask(name, { ...asked, format: 'csv' })).told)).toEqual(['/format']);
  }
  expect(await ask('performance', { date_from: '2024-05-01' })).toMatchObject({
    isError: true,
    told: { code: 'wrong_project_type', detail: expect.stringContaining('/api/margin/') },
  });
  const foreign = await ask('costs', { date_from: '2024-05-01', cursor: 'nonsense' });
  expect(foreign).toMatchObject({ isError: true, told: { code: 'invalid_cursor' } });
  await expect(client.callTool({ name: 'delete_everything' })).rejects.toThrow('There is no such tool');
});

test('D24.3, D1.1: a key sees its own project alone, whatever it names', async () => {
  const [victim, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const event = costEvent({ cost: 7.25, tags: { customer: 'secret-customer' } });
  await victim.post(event);
  await victim.api('POST', '/api/budgets/', { name: 'secret-budget', amount: 1, period: 'day' });
  const { ask } = await connectAssistant(other, { headers: { 'farthing-project': victim.id } });
  expect((await ask('project')).told.answer).toMatchObject({ id: other.id });
  const answers = await Promise.all([
    ask('costs', { date_from: '2024-05-15', date_to: '2024-05-15', group_by: 'customer' }),
    ask('costs', { date_from: '2024-05-15', date_to: '2024-05-15', project: victim.id }),
    ask('calls', { date_from: '2024-05-15', event_ids: [event.event_id] }),
    ask('explain_call', { event_id: event.event_id }),
    ask('budgets'),
    ask('budget', { name: 'secret-budget' }),
    ask('customers'),
    ask('coverage'),
  ]);
  expect(answers.map(({ text }) => text).join('\n')).not.toMatch(/secret-customer|7\.25|"secret-budget"/);
  expect(answers.map(({ isError }) => isError)).toEqual([false, true, false, true, false, true, false, false]);
});

test('D24.3: the admin token asks for the project that it names, and links name it', async () => {
  const project = await farthing.createProject();
  const { ask } = await connectAssistant(project, {
    token: farthing.adminToken,
    headers: { 'farthing-project': project.id },
  });
  const { told } = await ask('project');
  expect(told).toMatchObject({ answer: { id: project.id }, link: `${farthing.url}/?project=${project.id}` });
  expectProblem(await post(project, list, { token: farthing.adminToken }), 403, 'forbidden');
});
