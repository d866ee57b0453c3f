// Sends random requests, and judges the answers: no 500, no hang, and every answer is what the OpenAPI document says.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Answer, costEvent, expectStatus, type Farthing } from '../support/client.ts';
import { seed, usualOrLong } from '../support/effort.ts';
import { compareWithDocument, type Operation, readOperations } from '../support/openapi.ts';
import { openRawClient } from '../support/raw-http.ts';
import { type Caller, type FuzzRequest, fuzzRequests, type Known } from './requests.ts';

const atOnce = 8;
/** Requests between two looks at what was answered: their cursors go into those that follow. */
const chunk = 250;
const maxFaults = 20;

interface World extends Known {
  readonly farthing: Farthing;
  readonly operations: readonly Operation[];
  readonly tokens: (operation: Operation, caller: Caller) => Record<string, string>;
  readonly cursors: string[];
}

async function makeWorld(farthing: Farthing): Promise<World> {
  const [operations, project, internal, other, doomed] = await Promise.all([
    readOperations(farthing),
    farthing.createProject(),
    farthing.createProject({ type: 'internal', timezone: 'Europe/Berlin', at_risk_below_pct: 5 }),
    farthing.createProject(),
    farthing.createProject(),
  ]);
  const [reader, writer] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  const tags = { customer: 'acme', user: 'ann', feature: 'chat', run_id: 'run-1' };
  const events = Array.from({ length: 20 }, (_, index) =>
    costEvent({ cost: index, tags: { ...tags, customer: `acme-${index}` } }),
  );
  await Promise.all([project, internal].map((one) => one.post(...events)));
  await internal.keyMetric('minutes', { event_type: 'described', aggregation: 'sum', field: '/v' });
  const price = await project.addPrice({ model: 'house-llm*', input_per_mtok: 1, output_per_mtok: 2 });
  const reprice = expectStatus(
    await project.api('POST', '/api/prices/reprice/', { date_from: '2024-05-01', date_to: '2024-05-31' }),
    202,
  );
  const signIn = await farthing.send('POST', '/session/', { body: { api_key: project.apiKey } });
  const cookie = (signIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const spareClient = await project.createClient();
  const spareSecret = await project.createSecret(spareClient.client_id);
  const spareKey = await project.createKey({});

  const known: Record<string, readonly string[]> = {
    name: ['acme-1', 'ann', 'minutes', 'gpt-4o', 'house-llm', 'nobody'],
    event_id: [String(events[0]?.event_id), randomUUID()],
    run: ['run-1', 'nothing'],
    external_id: ['inv-1', 'nothing'],
    rebuild_id: ['rbd_none'],
    secret_id: [spareSecret.id],
    key_id: [spareKey.id],
  };
  const ids = ({ key, path }: Operation, parameter: string): readonly string[] => {
    if (path.startsWith('/intake/'))
      return [
        project.clientId,
        project.clientId,
        project.clientId.toUpperCase(),
        other.clientId,
        spareClient.client_id,
      ];
    if (parameter === 'client_id') return [spareClient.client_id, randomUUID()];
    if (parameter !== 'id') return known[parameter] ?? ['nothing'];
    if (key === 'DELETE /admin/projects/{id}/') return [doomed.id, 'prj_none'];
    if (path.startsWith('/admin/')) return [project.id, project.id, internal.id, doomed.id];
    if (path.startsWith('/api/prices/reprices/')) return [String(Object(reprice).id), 'rbd_none'];
    return [price, 'prc_none', 'grt_none'];
  };

  const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
  const tokens = (operation: Operation, caller: Caller): Record<string, string> => {
    const schemes = new Set(operation.security.flatMap((one) => Object.keys(one)));
    switch (caller) {
      case 'nobody':
        return {};
      case 'wrong':
        return bearer('fk_none');
      case 'reader':
        return bearer(reader.api_key);
      case 'writer':
        return bearer(writer.api_key);
      case 'other':
        return bearer(other.apiKey);
      case 'admin':
        return bearer(farthing.adminToken);
      case 'session':
        return { cookie, origin: farthing.url };
      case 'right':
        if (operation.key === 'POST /api/performance/' || operation.path.startsWith('/api/key-metrics/'))
          return bearer(internal.apiKey);
        if (schemes.has('apiKey')) return bearer(project.apiKey);
        if (schemes.has('clientSecret')) return bearer(project.secret);
        return schemes.has('adminToken') ? bearer(farthing.adminToken) : {};
    }
  };
  const first = await project.costs({ date_from: '2024-05-01', date_to: '2024-05-31', limit: 1 });
  return { farthing, operations, tokens, ids, projectId: project.id, cursors: [first.next_cursor ?? ''] };
}

/** Words of the inside that no answer to a caller may have, unless the caller said them first. */
const inside =
  /\bat .*\(.*:\d+|node:internal|\.ts:\d+|SQLITE|DB::|Code: \d+|kysely|control\.sqlite|ECONN|UND_ERR|Cannot read prop|is not a function/;

/** What a path says is answered as it is; it is no word of ours. */
function tellsOfInside(detail: string, path: string): boolean {
  const [word] = inside.exec(detail) ?? [];
  return word !== undefined && !decodeURIComponent(path.replaceAll(/%(?![2-7][0-9a-f])/gi, '%25')).includes(word);
}

/** What is wrong with an answer, in words. */
function judge({ operation, path }: FuzzRequest, answer: Answer): string[] {
  const faults: string[] = [];
  if (answer.status >= 500 && answer.status !== 503)
    faults.push(`answered ${answer.status}: ${answer.text.slice(0, 300)}`);
  const problem = Object(answer.body);
  const detail = String(problem.detail);
  const isOfAnotherRoute =
    (answer.status === 404 || answer.status === 405) && /no route|path is not valid|^Use /.test(detail);
  if (answer.status >= 400 && !isOfAnotherRoute && tellsOfInside(detail, path))
    faults.push(`tells of its inside: ${detail}`);
  // A hostile path may be another route, or none: then the answer is any problem.
  const isOther = isOfAnotherRoute || answer.status === 431 || !matches(operation.path, path);
  if (isOther) {
    if (answer.status >= 400 && problem.status !== answer.status && !isOtlpStatus(path, problem))
      faults.push(`answered ${answer.status}, and no problem: ${answer.text.slice(0, 300)}`);
  } else faults.push(...compareWithDocument(operation, answer));
  return faults;
}

/** The refusals of the OTLP routes are a `google.rpc.Status` (D14.1). */
const isOtlpStatus = (path: string, { code, message }: { code?: unknown; message?: unknown }): boolean =>
  /\/v1\/(?:traces|logs|metrics)\/?(?:\?|$)/.test(path) && Number.isInteger(code) && typeof message === 'string';

const matches = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`).test(path.split('?')[0] ?? '') &&
  !/\/(?:\.\.|%2e%2e)(?:\/|$)/.test(path);

function describe({ operation, path, headers, body, caller }: FuzzRequest): string {
  const text = body === undefined ? '' : JSON.stringify(Buffer.from(body).toString('latin1').slice(0, 1_500));
  return `${operation.method} ${path.slice(0, 500)} as ${caller} ${JSON.stringify(headers)} ${text}`;
}

async function run(world: World, count: number): Promise<{ faults: string[]; statuses: Map<number, number> }> {
  const client = openRawClient(world.farthing.url, atOnce);
  const faults: string[] = [];
  const kinds = new Set<string>();
  const note = (fault: string, request: FuzzRequest) => {
    // One of a kind says enough.
    const kind = `${request.operation.key} ${fault.slice(0, 60)}`;
    if (!kinds.has(kind)) faults.push(`${fault}\n    ${describe(request)}`);
    kinds.add(kind);
  };
  const statuses = new Map<number, number>();
  const ask = async (request: FuzzRequest) => {
    const { operation, path, headers, body, caller } = request;
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    try {
      const answer = await client.send({
        method: operation.method,
        path,
        headers: { ...type, ...world.tokens(operation, caller), ...headers },
        body,
      });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      for (const fault of judge(request, answer)) note(fault, request);
      const { next_cursor: cursor } = Object(answer.body);
      if (typeof cursor === 'string' && world.cursors.length < 200) world.cursors.push(cursor);
    } catch (cause) {
      note(`was not answered: ${cause}`, request);
    }
  };
  for (let sent = 0; sent < count && faults.length < maxFaults; sent += chunk) {
    const waiting = fc.sample(fuzzRequests(world.operations, world), {
      numRuns: Math.min(chunk, count - sent),
      seed: seed + sent,
    });
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let next = waiting.pop(); next; next = waiting.pop()) await ask(next);
      }),
    );
  }
  client.close();
  return { faults, statuses };
}

/** Sends so many random requests for these operations. A failure prints TEST_SEED, which sends the same ones again. */
export async function fuzz(
  farthing: Farthing,
  count: number,
  isTried: (operation: Operation) => boolean = () => true,
): Promise<void> {
  const world = await makeWorld(farthing);
  const { faults, statuses } = await run({ ...world, operations: world.operations.filter(isTried) }, count);
  expect(faults.slice(0, maxFaults), `TEST_SEED=${seed}`).toEqual([]);
  // Requests that nothing answers well would prove nothing.
  const good = [...statuses].filter(([status]) => status < 300).reduce((sum, [, answers]) => sum + answers, 0);
  // Of a hundred requests the share varies more.
  expect(good).toBeGreaterThan(usualOrLong(0.1, 0.15) * count);
}
