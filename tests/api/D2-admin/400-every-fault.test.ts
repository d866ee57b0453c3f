// Every fault of a request for projects, clients and keys, with the error that the answer names. A bad request stores nothing.
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { expectFaults, type Fault, projectOfTable } from '../../support/faults.ts';

const farthing = sharedFarthing();
const project = projectOfTable(farthing);
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
    'an unknown timezone',
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
  [
    'PATCH',
    '/admin/projects/ID/',
    'an unknown timezone',
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
    'an unknown scope',
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
    'an expires_at that is not a time',
    { name: marker, expires_at: 'soon' },
    ['/expires_at', 'invalid_value'],
  ],
  [
    'POST',
    '/admin/projects/ID/api-keys/',
    'an expires_at after the year 9999',
    { name: marker, expires_at: '9999-12-31T23:59:59-00:01' },
    ['/expires_at', 'out_of_range'],
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
