// Every fault of a request for costs, with the error that the answer must name.
import { expect, test } from 'vitest';
import { type Json, sharedFarthing } from '../../support/client.ts';
import { expectFaults, type Fault, many, projectOfTable } from '../../support/faults.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const project = projectOfTable(farthing);

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
  ['a day that does not exist', { date_from: '2024-02-30' }, ['/date_from', 'invalid_value']],
  ['the 29th of February of a common year', { date_from: '2023-02-29' }, ['/date_from', 'invalid_value']],
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
  ['a group_by that every object has', { group_by: 'constructor' }, ['/group_by', 'invalid_value']],
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
  ['a customer tag with 10,001 values', { customer_tags: { plan: many(10_001) } }, ['/customer_tags/plan', 'too_many']],
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
])('%s, reported at one of the dates or at both', async (_name, fields) => {
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
