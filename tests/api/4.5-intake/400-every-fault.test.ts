// Every fault of an event, with the error that the answer must name. A bad event is not stored.
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { costEvent, type Json, sharedFarthing } from '../../support/client.ts';
import { expectFaults, type Fault, long, many, projectOfTable } from '../../support/faults.ts';
import { expectProblem, type ProblemCode } from '../../support/problem.ts';

const farthing = sharedFarthing();
const project = projectOfTable(farthing);

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
