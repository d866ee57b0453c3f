// Every fault of a request for tags, with the error that the answer must name. A bad request stores nothing.
import { afterAll, expect, test } from 'vitest';
import { costEvent, sharedFarthing } from '../../support/client.ts';
import { expectFaults, type Fault, long, projectOfTable } from '../../support/faults.ts';

const farthing = sharedFarthing();
const project = projectOfTable(farthing);

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
