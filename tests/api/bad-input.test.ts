// Bad requests and what each is told. No answer is a 500, and nothing of them is stored.
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { type Answer, costEvent, expectStatus, type Json, type Project, sharedFarthing } from '../support/client.ts';
import { expectProblem, type ProblemCode } from '../support/problem.ts';

const farthing = sharedFarthing();

/** Where a fault is, and what it is called; several names where the decisions leave a choice. */
type Fault = [pointer: string, ...codes: string[]];

/** Checks that an answer names exactly these faults, in any order. */
function expectFaults(answer: Answer, faults: readonly Fault[]): void {
  const { errors = [] } = expectProblem(answer, 400, 'invalid_body');
  const byPointer = (a: { pointer: string }, b: { pointer: string }) => (a.pointer < b.pointer ? -1 : 1);
  const expected = faults.map(([pointer, ...codes]) => ({ pointer, codes })).sort(byPointer);
  const found = [...errors].sort(byPointer);
  expect(found.map((error) => error.pointer)).toEqual(expected.map((fault) => fault.pointer));
  for (const [index, { pointer, codes }] of expected.entries()) {
    expect(codes, `${pointer}: ${found[index]?.message}`).toContain(found[index]?.code);
  }
}

/** One project for a whole table: bad requests leave nothing behind that could be in the way. */
function projectOfTable(): () => Promise<Project> {
  let project: Promise<Project> | undefined;
  return async () => {
    project ??= farthing.createProject();
    return await project;
  };
}

const long = (length: number) => 'x'.repeat(length);
const many = (length: number) => Array.from({ length }, (_, index) => `v${index}`);

describe('4.5 intake', () => {
  const project = projectOfTable();
  afterAll(async () => {
    expect(await (await project()).costBy('customer')).toEqual({});
  });

  const events: [name: string, fields: Json, ...faults: Fault[]][] = [
    ['no event_id', { event_id: undefined }, ['/event_id', 'required']],
    ['an event_id that is null', { event_id: null }, ['/event_id', 'required', 'invalid_type']],
    ['an event_id that is a number', { event_id: 12 }, ['/event_id', 'invalid_type']],
    ['an event_id that is empty', { event_id: '' }, ['/event_id', 'invalid_value', 'empty']],
    ['an event_id that is no UUID', { event_id: 'call-1' }, ['/event_id', 'invalid_value']],
    ['an event_id without hyphens', { event_id: randomUUID().replaceAll('-', '') }, ['/event_id', 'invalid_value']],
    ['an event_id in braces', { event_id: `{${randomUUID()}}` }, ['/event_id', 'invalid_value']],
    ['an event_id with a space', { event_id: ` ${randomUUID()}` }, ['/event_id', 'invalid_value']],
    ['no event_type', { event_type: undefined }, ['/event_type', 'required']],
    ['an event_type that is empty', { event_type: '' }, ['/event_type', 'empty']],
    ['an event_type that is too long', { event_type: `${long(195)}.after` }, ['/event_type', 'too_long']],
    ['an event_type that is a list', { event_type: ['x.after'] }, ['/event_type', 'invalid_type']],
    ['a model that is a number', { model: 4 }, ['/model', 'invalid_type']],
    ['a model that is too long', { model: long(1025) }, ['/model', 'too_long']],
    ['a provider that is an object', { provider: {} }, ['/provider', 'invalid_type']],
    ['a provider that is too long', { provider: long(1025) }, ['/provider', 'too_long']],
    ['tags that are a list', { tags: ['customer'] }, ['/tags', 'invalid_type']],
    ['tags that are text', { tags: 'customer=acme' }, ['/tags', 'invalid_type']],
    ['a tag that is an object', { tags: { customer: { name: 'acme' } } }, ['/tags/customer', 'invalid_type']],
    ['a tag that is a list', { tags: { customer: ['acme'] } }, ['/tags/customer', 'invalid_type']],
    ['a tag with / and ~ in its key', { tags: { 'a/b~c': [] } }, ['/tags/a~1b~0c', 'invalid_type']],
    ['a tag value that is too long', { tags: { note: long(1025) } }, ['/tags/note', 'too_long']],
    ['a customer that is too long', { tags: { customer: long(1025) } }, ['/tags/customer', 'too_long']],
    ['a tag key that is too long', { tags: { [long(129)]: 'x' } }, [`/tags/${long(129)}`, 'too_long']],
    ['101 tags', { tags: Object.fromEntries(many(101).map((key) => [key, 'x'])) }, ['/tags', 'too_many']],
    ['a negative elapsed_ms', { elapsed_ms: -0.5 }, ['/elapsed_ms', 'out_of_range']],
    ['an elapsed_ms that is text', { elapsed_ms: '12' }, ['/elapsed_ms', 'invalid_type']],
    ['negative prompt_tokens', { prompt_tokens: -1 }, ['/prompt_tokens', 'out_of_range']],
    ['prompt_tokens with a fraction', { prompt_tokens: 1.5 }, ['/prompt_tokens', 'invalid_type', 'invalid_value']],
    ['prompt_tokens above 10⁹', { prompt_tokens: 1_000_000_001 }, ['/prompt_tokens', 'out_of_range']],
    ['prompt_tokens that are text', { prompt_tokens: '412' }, ['/prompt_tokens', 'invalid_type']],
    ['negative completion_tokens', { completion_tokens: -87 }, ['/completion_tokens', 'out_of_range']],
    ['completion_tokens above 10⁹', { completion_tokens: 2e9 }, ['/completion_tokens', 'out_of_range']],
    ['completion_tokens that are true', { completion_tokens: true }, ['/completion_tokens', 'invalid_type']],
    ['an error_type that is a number', { error_type: 500 }, ['/error_type', 'invalid_type']],
    ['an error_message that is an object', { error_message: {} }, ['/error_message', 'invalid_type']],
    [
      'three faults at once',
      { event_id: 1, prompt_tokens: -1, tags: { a: [] } },
      ['/event_id', 'invalid_type'],
      ['/prompt_tokens', 'out_of_range'],
      ['/tags/a', 'invalid_type'],
    ],
  ];
  test.each(events)('an event with %s', async (_name, fields, ...faults) => {
    const { intake } = await project();
    const body = { ...costEvent({ cost: 1 }), ...fields };
    expectFaults(await intake({ body }), faults);
    const inBatch = await intake({ body: [body] });
    expectFaults(
      inBatch,
      faults.map(([pointer, ...codes]) => [`/0${pointer}`, ...codes]),
    );
    expect(inBatch.body).toMatchObject({ accepted: 0, errors_total: faults.length });
  });

  const event = JSON.stringify(costEvent({ cost: 1 }));
  const bodies: [name: string, raw: string, code: ProblemCode][] = [
    ['no body', '', 'invalid_json'],
    ['spaces only', ' \n ', 'invalid_json'],
    ['half an event', event.slice(0, -1), 'invalid_json'],
    ['two events without an array', `${event}${event}`, 'invalid_json'],
    ['single quotes', "{'event_id': 1}", 'invalid_json'],
    ['a comment', `${event} // done`, 'invalid_json'],
    ['a comma too much', `${event.slice(0, -1)},}`, 'invalid_json'],
    ['NaN', `${event.slice(0, -1)},"x":NaN}`, 'invalid_json'],
    ['a number with a leading zero', `${event.slice(0, -1)},"x":01}`, 'invalid_json'],
    ['a line break in a string', `${event.slice(0, -1)},"x":"a\nb"}`, 'invalid_json'],
    ['null', 'null', 'invalid_body'],
    ['a number', '5', 'invalid_body'],
    ['text', '"x.after"', 'invalid_body'],
    ['an array in an array', `[[${event}]]`, 'invalid_body'],
  ];
  test.each(bodies)('a body that is %s', async (_name, raw, code) => {
    const { intake } = await project();
    expectProblem(await intake({ raw }), 400, code);
  });
});

describe('4.1 customer tags', () => {
  const project = projectOfTable();
  afterAll(async () => {
    const { post, costBy } = await project();
    await post(...['a', 'b'].map((customer) => costEvent({ cost: 1, tags: { customer } })));
    expect(await costBy('customer', { customer_tags: { plan: ['pro', 'free'] } })).toEqual({});
  });

  const good = { customer_name: 'a', tags: { plan: 'pro' } };
  const bodies: [name: string, body: unknown, ...faults: Fault[]][] = [
    ['no customers', {}, ['/customers', 'required']],
    ['customers that are null', { customers: null }, ['/customers', 'required', 'invalid_type']],
    ['customers that are an object', { customers: good }, ['/customers', 'invalid_type']],
    ['1001 customers', { customers: Array(1001).fill(good) }, ['/customers', 'too_many']],
    ['a customer that is text', { customers: [good, 'a'] }, ['/customers/1', 'invalid_type']],
    ['a customer that is null', { customers: [null, good] }, ['/customers/0', 'invalid_type', 'required']],
    ['no name', { customers: [good, { tags: { x: 'y' } }] }, ['/customers/1/customer_name', 'required']],
    [
      'a name that is a number',
      { customers: [{ ...good, customer_name: 7 }] },
      ['/customers/0/customer_name', 'invalid_type'],
    ],
    ['an empty name', { customers: [{ ...good, customer_name: '' }] }, ['/customers/0/customer_name', 'empty']],
    [
      'a name that is too long',
      { customers: [{ ...good, customer_name: long(1025) }] },
      ['/customers/0/customer_name', 'too_long'],
    ],
    ['no tags', { customers: [{ customer_name: 'a' }] }, ['/customers/0/tags', 'required']],
    [
      'tags that are null',
      { customers: [{ customer_name: 'a', tags: null }] },
      ['/customers/0/tags', 'required', 'invalid_type'],
    ],
    [
      'tags that are a list',
      { customers: [{ customer_name: 'a', tags: ['plan'] }] },
      ['/customers/0/tags', 'invalid_type'],
    ],
    [
      'a tag that is a number',
      { customers: [{ customer_name: 'a', tags: { plan: 'pro', n: 1 } }] },
      ['/customers/0/tags/n', 'invalid_type'],
    ],
    [
      'a tag that is true',
      { customers: [{ customer_name: 'a', tags: { plan: true } }] },
      ['/customers/0/tags/plan', 'invalid_type'],
    ],
    [
      'a tag that is a list',
      { customers: [{ customer_name: 'a', tags: { plan: ['pro'] } }] },
      ['/customers/0/tags/plan', 'invalid_type'],
    ],
    ['an empty key', { customers: [{ customer_name: 'a', tags: { '': 'pro' } }] }, ['/customers/0/tags/', 'empty']],
    [
      'a key that is too long',
      { customers: [{ customer_name: 'a', tags: { [long(129)]: 'x' } }] },
      [`/customers/0/tags/${long(129)}`, 'too_long'],
    ],
    [
      'a value that is too long',
      { customers: [{ customer_name: 'a', tags: { plan: long(1025) } }] },
      ['/customers/0/tags/plan', 'too_long'],
    ],
    ['an unknown field of a customer', { customers: [{ ...good, name: 'a' }] }, ['/customers/0/name', 'unknown_field']],
    ['an unknown field of the body', { customers: [good], users: [] }, ['/users', 'unknown_field']],
    ['an upsert that is text', { customers: [good], upsert: 'true' }, ['/upsert', 'invalid_type']],
    ['an upsert that is a number', { customers: [good], upsert: 1 }, ['/upsert', 'invalid_type']],
    [
      'a key twice for one customer',
      { customers: [good, { customer_name: 'b', tags: {} }, good] },
      ['/customers/2/tags/plan', 'duplicate'],
    ],
    [
      'faults in several customers',
      { customers: [good, { customer_name: 5, tags: { a: 1 } }, { customer_name: 'b', tags: 0 }] },
      ['/customers/1/customer_name', 'invalid_type'],
      ['/customers/1/tags/a', 'invalid_type'],
      ['/customers/2/tags', 'invalid_type'],
    ],
  ];
  test.each(bodies)('%s', async (_name, body, ...faults) => {
    const { api } = await project();
    expectFaults(await api('POST', '/api/customer-tags/', body), faults);
  });
});

describe('4.2 costs', () => {
  const project = projectOfTable();
  const good = { date_from: '2024-05-01', date_to: '2024-05-31' };
  const bodies: [name: string, fields: Json, ...faults: Fault[]][] = [
    ['no date_from', { date_from: undefined }, ['/date_from', 'required']],
    ['a date_from that is null', { date_from: null }, ['/date_from', 'required', 'invalid_type']],
    ['a date_from that is a number', { date_from: 20240501 }, ['/date_from', 'invalid_type']],
    ['a date_from that is empty', { date_from: '' }, ['/date_from', 'invalid_value', 'empty']],
    ['a date_from with a time', { date_from: '2024-05-01T00:00:00Z' }, ['/date_from', 'invalid_value']],
    ['a date_from of another form', { date_from: '01.05.2024' }, ['/date_from', 'invalid_value']],
    ['a date_from without zeros', { date_from: '2024-5-1' }, ['/date_from', 'invalid_value']],
    ['a date_from with a line break', { date_from: '2024-05-01\n' }, ['/date_from', 'invalid_value']],
    ['a day that is none', { date_from: '2024-02-30' }, ['/date_from', 'invalid_value']],
    ['the 29th of February of no leap year', { date_from: '2023-02-29' }, ['/date_from', 'invalid_value']],
    ['the month 13', { date_to: '2024-13-01' }, ['/date_to', 'invalid_value']],
    ['the day 00', { date_to: '2024-06-00' }, ['/date_to', 'invalid_value']],
    ['a date_from before 2000', { date_from: '1999-12-31' }, ['/date_from', 'out_of_range']],
    ['a date_to after 2100', { date_to: '2101-01-01' }, ['/date_to', 'out_of_range']],
    ['a date_to that is false', { date_to: false }, ['/date_to', 'invalid_type']],
    ['an aggregate that is unknown', { aggregate: 'hour' }, ['/aggregate', 'invalid_value']],
    ['an aggregate in capitals', { aggregate: 'Day' }, ['/aggregate', 'invalid_value']],
    ['an aggregate that is a list', { aggregate: ['day'] }, ['/aggregate', 'invalid_type', 'invalid_value']],
    ['a group_by that is unknown', { group_by: 'run' }, ['/group_by', 'invalid_value']],
    ['a group_by that is of another route', { group_by: 'user' }, ['/group_by', 'invalid_value']],
    ['a group_by that is empty', { group_by: '' }, ['/group_by', 'invalid_value', 'empty']],
    ['a group_by of two', { group_by: ['model', 'provider'] }, ['/group_by', 'invalid_type', 'invalid_value']],
    ['a group_by that everything has', { group_by: 'constructor' }, ['/group_by', 'invalid_value']],
    ['an empty customers', { customers: [] }, ['/customers', 'empty']],
    ['customers that are text', { customers: 'acme' }, ['/customers', 'invalid_type']],
    ['a customer that is a number', { customers: ['acme', 5] }, ['/customers/1', 'invalid_type']],
    ['a customer that is null', { customers: [null] }, ['/customers/0', 'invalid_type', 'required']],
    ['10,001 customers', { customers: many(10_001) }, ['/customers', 'too_many']],
    ['an empty features', { features: [] }, ['/features', 'empty']],
    ['features that are an object', { features: {} }, ['/features', 'invalid_type']],
    ['10,001 features', { features: many(10_001) }, ['/features', 'too_many']],
    ['an empty models', { models: [] }, ['/models', 'empty']],
    ['a model that is a list', { models: [['gpt']] }, ['/models/0', 'invalid_type']],
    ['an empty providers', { providers: [] }, ['/providers', 'empty']],
    ['a provider that is false', { providers: [false] }, ['/providers/0', 'invalid_type']],
    ['customer_tags that are a list', { customer_tags: ['plan'] }, ['/customer_tags', 'invalid_type']],
    ['a customer tag that is a number', { customer_tags: { plan: 5 } }, ['/customer_tags/plan', 'invalid_type']],
    [
      'a customer tag that is null',
      { customer_tags: { plan: null } },
      ['/customer_tags/plan', 'invalid_type', 'required'],
    ],
    ['a customer tag without values', { customer_tags: { plan: [] } }, ['/customer_tags/plan', 'empty']],
    [
      'a customer tag with a value that is a number',
      { customer_tags: { plan: ['pro', 1] } },
      ['/customer_tags/plan/1', 'invalid_type'],
    ],
    [
      'a customer tag with 10,001 values',
      { customer_tags: { plan: many(10_001) } },
      ['/customer_tags/plan', 'too_many'],
    ],
    ['run_tags that are text', { run_tags: 'env=prod' }, ['/run_tags', 'invalid_type']],
    ['a run tag without values', { run_tags: { env: [] } }, ['/run_tags/env', 'empty']],
    ['a run tag that is an object', { run_tags: { env: { is: 'prod' } } }, ['/run_tags/env', 'invalid_type']],
    ['an apply_credits that is text', { apply_credits: 'true' }, ['/apply_credits', 'invalid_type']],
    ['an apply_credits that is a number', { apply_credits: 0 }, ['/apply_credits', 'invalid_type']],
    ['a limit of 0', { limit: 0 }, ['/limit', 'out_of_range']],
    ['a negative limit', { limit: -5 }, ['/limit', 'out_of_range']],
    ['a limit of 1001', { limit: 1001 }, ['/limit', 'out_of_range']],
    ['a limit with a fraction', { limit: 1.5 }, ['/limit', 'invalid_type', 'invalid_value']],
    ['a limit that is text', { limit: '10' }, ['/limit', 'invalid_type']],
    ['a limit that is null', { limit: null }, ['/limit', 'invalid_type', 'required']],
    ['a cursor that is a number', { cursor: 5 }, ['/cursor', 'invalid_type']],
    ['an unknown field', { timezone: 'UTC' }, ['/timezone', 'unknown_field']],
    ['a field of another route', { users: ['a'] }, ['/users', 'unknown_field']],
    ['a misspelt field', { Customers: ['a'] }, ['/Customers', 'unknown_field']],
    ['an unknown field with / and ~', { 'a/b~c': 1 }, ['/a~1b~0c', 'unknown_field']],
    ['two unknown fields', { x: 1, y: 2 }, ['/x', 'unknown_field'], ['/y', 'unknown_field']],
  ];
  test.each(bodies)('%s', async (_name, fields, ...faults) => {
    const { postCosts } = await project();
    expectFaults(await postCosts({ ...good, ...fields }), faults);
  });

  test.each([
    ['date_from after date_to', { date_from: '2024-06-01' }],
    ['a range of 3,661 days', { date_from: '2014-05-24' }],
    ['date_from after today, without date_to', { date_from: '2099-01-01', date_to: undefined }],
  ])('%s, which is a fault of one of the dates or of both', async (_name, fields) => {
    const { postCosts } = await project();
    const { errors = [] } = expectProblem(await postCosts({ ...good, ...fields }), 400, 'invalid_body');
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(['', '/date_from', '/date_to']).toContain(error.pointer);
  });

  test('an unknown field that is named __proto__', async () => {
    const { api } = await project();
    const raw = '{"date_from":"2024-05-01","date_to":"2024-05-01","__proto__":{"limit":5}}';
    expectFaults(await api('POST', '/api/costs/', undefined, { raw }), [['/__proto__', 'unknown_field']]);
  });
});

describe('D5.3 prices', () => {
  const project = projectOfTable();
  afterAll(async () => {
    const listed = expectStatus(await (await project()).api('GET', '/api/prices/'), 200);
    expect(JSON.stringify(listed)).not.toContain('"m1"');
  });

  const good = { model: 'm1', input_per_mtok: 1, output_per_mtok: 2 };
  const bodies: [name: string, fields: Json, ...faults: Fault[]][] = [
    ['no model', { model: undefined }, ['/model', 'required']],
    ['an empty model', { model: '' }, ['/model', 'empty']],
    ['a model that is a number', { model: 4 }, ['/model', 'invalid_type']],
    ['a model that is too long', { model: long(1025) }, ['/model', 'too_long']],
    ['a provider that is a list', { provider: ['openai'] }, ['/provider', 'invalid_type']],
    ['a service_tier that is a number', { service_tier: 1 }, ['/service_tier', 'invalid_type']],
    ['no input_per_mtok', { input_per_mtok: undefined }, ['/input_per_mtok', 'required']],
    ['no output_per_mtok', { output_per_mtok: undefined }, ['/output_per_mtok', 'required']],
    ['a negative rate', { input_per_mtok: -1 }, ['/input_per_mtok', 'out_of_range']],
    [
      'a rate with seven fractional digits',
      { output_per_mtok: 0.0000001 },
      ['/output_per_mtok', 'invalid_value', 'out_of_range'],
    ],
    ['a rate that is text', { input_per_mtok: 'cheap' }, ['/input_per_mtok', 'invalid_type', 'invalid_value']],
    ['a rate that is true', { input_per_mtok: true }, ['/input_per_mtok', 'invalid_type']],
    ['a rate that is an object', { cache_read_per_mtok: { usd: 1 } }, ['/cache_read_per_mtok', 'invalid_type']],
    ['a negative cache rate', { cache_write_per_mtok: -0.000001 }, ['/cache_write_per_mtok', 'out_of_range']],
    ['a negative audio rate', { input_audio_per_mtok: -3 }, ['/input_audio_per_mtok', 'out_of_range']],
    ['an audio rate that is false', { output_audio_per_mtok: false }, ['/output_audio_per_mtok', 'invalid_type']],
    ['a negative reasoning rate', { reasoning_per_mtok: -1 }, ['/reasoning_per_mtok', 'out_of_range']],
    ['a negative price of a request', { per_request: -0.01 }, ['/per_request', 'out_of_range']],
    ['a day that is none', { effective_from: '2024-02-30' }, ['/effective_from', 'invalid_value']],
    ['a day with a time', { effective_to: '2024-05-01T00:00:00Z' }, ['/effective_to', 'invalid_value']],
    ['a day that is a number', { effective_from: 20240501 }, ['/effective_from', 'invalid_type']],
    ['an unknown field', { currency: 'EUR' }, ['/currency', 'unknown_field']],
    ['an id', { id: 'mine' }, ['/id', 'unknown_field']],
  ];
  test.each(bodies)('%s', async (_name, fields, ...faults) => {
    const { api } = await project();
    expectFaults(await api('POST', '/api/prices/', { ...good, ...fields }), faults);
  });

  test('days in the wrong order', async () => {
    const { api } = await project();
    const answer = await api('POST', '/api/prices/', {
      ...good,
      effective_from: '2024-06-01',
      effective_to: '2024-05-31',
    });
    const { errors = [] } = expectProblem(answer, 400, 'invalid_body');
    expect(['', '/effective_from', '/effective_to']).toContain(errors[0]?.pointer);
  });
});

describe('D2 projects, clients and keys', () => {
  const project = projectOfTable();
  const marker = `bad ${randomUUID()}`;
  afterAll(async () => {
    const { record, adminPath } = await project();
    expect(expectStatus(await farthing.admin('GET', `${adminPath}/`), 200)).toMatchObject(record);
    for (const path of ['/admin/projects/', `${adminPath}/clients/`, `${adminPath}/api-keys/`]) {
      expect((await farthing.admin('GET', path)).text).not.toContain(marker);
    }
  });

  const requests: [method: string, path: string, name: string, body: unknown, ...faults: Fault[]][] = [
    ['POST', '/admin/projects/', 'no name', {}, ['/name', 'required']],
    ['POST', '/admin/projects/', 'an empty name', { name: '' }, ['/name', 'empty']],
    ['POST', '/admin/projects/', 'a name that is a number', { name: 7 }, ['/name', 'invalid_type']],
    ['POST', '/admin/projects/', 'an unknown type', { name: marker, type: 'external' }, ['/type', 'invalid_value']],
    [
      'POST',
      '/admin/projects/',
      'a type that is a list',
      { name: marker, type: [] },
      ['/type', 'invalid_type', 'invalid_value'],
    ],
    [
      'POST',
      '/admin/projects/',
      'a timezone that is none',
      { name: marker, timezone: 'Mars/Base' },
      ['/timezone', 'invalid_value'],
    ],
    [
      'POST',
      '/admin/projects/',
      'an empty timezone',
      { name: marker, timezone: '' },
      ['/timezone', 'invalid_value', 'empty'],
    ],
    [
      'POST',
      '/admin/projects/',
      'a timezone that is a number',
      { name: marker, timezone: 2 },
      ['/timezone', 'invalid_type'],
    ],
    [
      'POST',
      '/admin/projects/',
      'an at_risk_below_pct that is text',
      { name: marker, at_risk_below_pct: '5' },
      ['/at_risk_below_pct', 'invalid_type'],
    ],
    ['POST', '/admin/projects/', 'an unknown field', { name: marker, owner: 'me' }, ['/owner', 'unknown_field']],
    [
      'PATCH',
      '/admin/projects/ID/',
      'a type',
      { type: 'internal', name: marker },
      ['/type', 'unknown_field', 'invalid_value'],
    ],
    ['PATCH', '/admin/projects/ID/', 'an empty name', { name: '' }, ['/name', 'empty']],
    ['PATCH', '/admin/projects/ID/', 'a name that is null', { name: null }, ['/name', 'invalid_type', 'required']],
    [
      'PATCH',
      '/admin/projects/ID/',
      'a timezone that is none',
      { timezone: 'UTC+25', name: marker },
      ['/timezone', 'invalid_value'],
    ],
    [
      'PATCH',
      '/admin/projects/ID/',
      'an at_risk_below_pct that is true',
      { at_risk_below_pct: true },
      ['/at_risk_below_pct', 'invalid_type'],
    ],
    ['POST', '/admin/projects/ID/clients/', 'a name that is a list', { name: [marker] }, ['/name', 'invalid_type']],
    [
      'POST',
      '/admin/projects/ID/clients/',
      'an unknown field',
      { name: marker, secret: 'mine' },
      ['/secret', 'unknown_field'],
    ],
    [
      'POST',
      '/admin/projects/ID/api-keys/',
      'a scope that is none',
      { name: marker, scopes: ['admin'] },
      ['/scopes/0', 'invalid_value'],
    ],
    [
      'POST',
      '/admin/projects/ID/api-keys/',
      'scopes that are text',
      { name: marker, scopes: 'read' },
      ['/scopes', 'invalid_type'],
    ],
    ['POST', '/admin/projects/ID/api-keys/', 'no scope at all', { name: marker, scopes: [] }, ['/scopes', 'empty']],
    [
      'POST',
      '/admin/projects/ID/api-keys/',
      'an expires_at that is none',
      { name: marker, expires_at: 'soon' },
      ['/expires_at', 'invalid_value'],
    ],
    [
      'POST',
      '/admin/projects/ID/api-keys/',
      'an expires_at that is a number',
      { name: marker, expires_at: 5 },
      ['/expires_at', 'invalid_type'],
    ],
    [
      'POST',
      '/admin/projects/ID/api-keys/',
      'an unknown field',
      { name: marker, api_key: 'mine' },
      ['/api_key', 'unknown_field'],
    ],
  ];
  test.each(requests)('%s %s with %s', async (method, path, _name, body, ...faults) => {
    const { id } = await project();
    expectFaults(await farthing.admin(method, path.replace('ID', id), body), faults);
  });
});
