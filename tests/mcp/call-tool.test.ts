import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { callTool } from '../../src/reports/mcp/call-tool.ts';
import { fakeRoutes, okay, toolOf } from './fake-routes.ts';

const maxBytes = 20_000;

const resultSchema = z.object({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  isError: z.literal(true).optional(),
});

/** Asks a tool whose route answers by `answer`; the result must be small, and JSON. */
async function ask(
  name: string,
  asked: Record<string, unknown>,
  answer: Parameters<typeof fakeRoutes>[0],
): Promise<{ isError: boolean; told: Record<string, unknown> }> {
  const result = await callTool(toolOf(name), asked, fakeRoutes(answer));
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(maxBytes);
  const { content, isError = false } = resultSchema.parse(result);
  return { isError, told: z.record(z.string(), z.unknown()).parse(JSON.parse(content[0].text)) };
}

const pageSchema = z.object({ rows: z.array(z.unknown()), next_cursor: z.string().nullable(), has_more: z.boolean() });

/** A route with pages of rows; a cursor is the number of the rows before. */
const pagesOf =
  (rows: readonly unknown[]): Parameters<typeof fakeRoutes>[0] =>
  ({ body = {} }) => {
    const from = Number(body.cursor ?? 0);
    const to = from + Number(body.limit ?? 100);
    const hasMore = to < rows.length;
    return okay({ rows: rows.slice(from, to), next_cursor: hasMore ? String(to) : null, has_more: hasMore });
  };

test('D24.3: by cursor, an assistant reads every row once, however long the rows are', async () => {
  const name = fc.oneof(
    { weight: 40, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
    fc.string({ unit: 'binary', minLength: 900, maxLength: 1_024 }),
    // Each of its characters takes four bytes of the answer: a backslash that is escaped twice.
    fc.constant('\\'.repeat(1_024)),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(name, { maxLength: 200, size: 'max' }),
      fc.constantFrom(undefined, 7, 50, 1_000),
      async (names, limit) => {
        const rows = names.map((customer, at) => ({ customer, cost: at / 7 }));
        const read: unknown[] = [];
        let cursor: string | null = '0';
        while (cursor !== null) {
          const { told } = await ask('costs', { date_from: '2026-11-01', limit, cursor }, pagesOf(rows));
          const page: z.infer<typeof pageSchema> = pageSchema.parse(told.answer);
          read.push(...page.rows);
          expect(page.rows.length > 0 || names.length === 0).toBe(true);
          expect(typeof told.more === 'string').toBe(page.has_more);
          if (page.has_more) expect(told.more).toContain(`These are ${page.rows.length} of more.`);
          cursor = page.next_cursor;
        }
        expect(read).toEqual(rows);
      },
    ),
    { numRuns: 20 },
  );
});

test('D24.3: a row that is too large alone is cut, and the next one can be asked for', async () => {
  const tags = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`tag-${at}`, 'v'.repeat(1_024)]));
  const rows = [1, 2, 3].map((cost) => ({ customer: 'acme', cost, tags }));
  const nextCursor = 'c'.repeat(4_000);
  const costs: unknown[] = [];
  for (let at = 0; at < rows.length; at += 1) {
    const { told } = await ask('costs', { date_from: '2026-11-01' }, ({ body = {} }) => {
      const shown = rows.slice(at, at + Number(body.limit ?? 100));
      const hasMore = at + shown.length < rows.length;
      return okay({ rows: shown, next_cursor: hasMore ? nextCursor : null, has_more: hasMore });
    });
    const answer = z
      .object({ rows: z.tuple([z.object({ cost: z.number() })]), next_cursor: z.unknown() })
      .parse(told.answer);
    costs.push(answer.rows[0].cost);
    expect(answer.next_cursor).toBe(at < 2 ? nextCursor : null);
    expect(told.more).toContain('texts are cut');
    expect(String(told.more).includes('`cursor`')).toBe(at < 2);
  }
  expect(costs).toEqual([1, 2, 3]);
});

test('D24.3: an answer that is small is that of the route, byte for byte', async () => {
  const text = '{"events": [{"id":9007199254740993, "x" :1e400}],"a":"\\u00e9"}';
  const routes = fakeRoutes(() => ({ status: 200, text, asOf: undefined }));
  const { content } = resultSchema.parse(await callTool(toolOf('explain_call'), { event_id: 'e' }, routes));
  expect(content[0].text.endsWith(`"answer":${text}}`)).toBe(true);
});

test('D24.3: an answer without pages is cut to 20 KB, whatever it holds, and says so', async () => {
  const big = fc.oneof(
    fc.string({ minLength: 20_000, maxLength: 60_000 }),
    fc.array(fc.record({ model: fc.string({ minLength: 50, maxLength: 1_000 }) }), { minLength: 400, maxLength: 500 }),
    fc.dictionary(fc.string({ minLength: 5, maxLength: 2_000 }), fc.nat(), { minKeys: 300, maxKeys: 400, size: 'max' }),
    fc.constant('\0'.repeat(30_000)),
  );
  await fc.assert(
    fc.asyncProperty(big, fc.jsonValue(), async (large, small) => {
      const { told, isError } = await ask('coverage', {}, () => okay({ unpriced: large, rest: small }));
      expect(isError).toBe(false);
      if (Buffer.byteLength(JSON.stringify(JSON.stringify({ unpriced: large, rest: small }))) > maxBytes)
        expect(told.more).toContain('20 KB');
    }),
    { numRuns: 40 },
  );
});

test('D24.3: a cut says how many items of each list there are', async () => {
  const unpriced = Array.from({ length: 900 }, (_, at) => ({
    model: `model-${at}`,
    reason: 'unknown_model',
    calls: 1,
  }));
  const { told } = await ask('coverage', {}, () => okay({ calls: 900, unpriced, ignored: [] }));
  const { shown, answer } = z
    .object({ shown: z.record(z.string(), z.string()), answer: z.object({ unpriced: z.array(z.unknown()) }) })
    .parse(told);
  expect(answer.unpriced).toEqual(unpriced.slice(0, answer.unpriced.length));
  expect(shown).toEqual({ '/unpriced': `${answer.unpriced.length} of 900` });
});

test('D24.3: an answer of several lists is asked for again with shorter ones', async () => {
  const limits: unknown[] = [];
  const { told } = await ask('changes', { date_from: '2026-11-01', date_to: '2026-11-30' }, ({ body = {} }) => {
    limits.push(body.limit);
    const rows = Array.from({ length: Number(body.limit ?? 20) }, (_, at) => ({ customer: `${at}`.repeat(2_000) }));
    return okay({ by_customer: { rows, others: { count: 7 } } });
  });
  expect(limits[0]).toBeUndefined();
  expect(limits.length).toBeLessThanOrEqual(4);
  expect(told.more).toContain(`at most ${String(limits.at(-1))}`);
});

test('D24.3: a list that its route answers whole is read in parts', async () => {
  const budgets = Array.from({ length: 200 }, (_, at) => ({ name: `${at} ${'b'.repeat(at)}`, amount: at }));
  const read: unknown[] = [];
  while (read.length < budgets.length) {
    const { told } = await ask('budgets', { skip: read.length }, ({ url }) => {
      expect(url).toBe('/api/budgets/');
      return okay({ budgets });
    });
    const shown = z.object({ budgets: z.array(z.unknown()).min(1) }).parse(told.answer).budgets;
    read.push(...shown);
    if (read.length < budgets.length)
      expect(told.more).toBe(
        `These are ${shown.length} of 200. For the next ones, ask the same with \`skip\` ${read.length}.`,
      );
    else expect(told.more).toBeUndefined();
  }
  expect(read).toEqual(budgets);
  expect((await ask('budgets', { skip: 500 }, () => okay({ budgets }))).told.answer).toEqual({ budgets: [] });
});

test('D24.3: a refusal of the route is a result that says so, with every fault', async () => {
  const problem = { title: 'The body is not valid', status: 400, errors: [{ pointer: '/limit', message: 'is wrong' }] };
  const answer = { status: 400, text: JSON.stringify(problem), asOf: undefined };
  expect(await ask('costs', {}, () => answer)).toEqual({ isError: true, told: problem });
  const many = { ...problem, errors: Array.from({ length: 5_000 }, (_, at) => ({ pointer: `/customers/${at}` })) };
  const { isError, told } = await ask('costs', {}, () => ({ ...answer, text: JSON.stringify(many) }));
  expect(isError).toBe(true);
  expect(told).toMatchObject({ title: problem.title, errors: expect.arrayContaining([many.errors[0]]) });
});

test('D24.3, D11.2: an error that nobody expected is told without its cause', async () => {
  const { isError, told } = await ask('costs', {}, () => {
    throw new Error('the password is hunter2');
  });
  expect(isError).toBe(true);
  expect(told).toMatchObject({ status: 500, code: 'internal', request_id: 'request-1' });
  expect(JSON.stringify(told)).not.toContain('hunter2');
});

test('D24.3: wrong arguments of a route without a body are refused, all at once', async () => {
  const neverAsked = () => {
    throw new Error('the route was asked');
  };
  const pointersOf = ({ told }: Awaited<ReturnType<typeof ask>>) =>
    z
      .object({ errors: z.array(z.object({ pointer: z.string(), code: z.string() })) })
      .parse(told)
      .errors.map(({ pointer, code }) => `${pointer} ${code}`);
  expect(pointersOf(await ask('explain_call', {}, neverAsked))).toEqual(['/event_id required']);
  expect(pointersOf(await ask('budgets', { 'a/b': 1, c: 1 }, neverAsked))).toEqual([
    '/a~1b unknown_field',
    '/c unknown_field',
  ]);
  expect(pointersOf(await ask('explain_call', { event_id: 7 }, neverAsked))).toEqual(['/event_id invalid_type']);
  expect(pointersOf(await ask('budgets', { skip: 1.5 }, neverAsked))).toEqual(['/skip invalid_value']);
});

test('D24.3: no argument leads to another route', async () => {
  const awkward = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '.', '..', '%2e%2e', '../costs', '..\\', 'a/../b', '?x=1', '#', '\u0000', '//host', '\ud800'),
  );
  await fc.assert(
    fc.asyncProperty(awkward, awkward, async (name, of) => {
      const asked: string[] = [];
      const { isError } = await ask('budget', { name, of }, ({ method, url }) => {
        const { pathname, searchParams } = new URL(url, 'http://farthing');
        const [, step = ''] = /^\/api\/budgets\/([^/]+)\/$/.exec(pathname) ?? [];
        asked.push(`${method} ${decodeURIComponent(step)}`);
        expect([...searchParams.keys()]).toEqual(['of']);
        return okay({});
      });
      expect(asked).toEqual(isError ? [] : [`GET ${name}`]);
    }),
  );
});
