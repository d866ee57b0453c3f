import { test } from 'vitest';
import { type Json, sharedFarthing } from '../../support/client.ts';
import { expectFaults, type Fault, projectOfTable } from '../../support/faults.ts';

const farthing = sharedFarthing();
const project = projectOfTable(farthing);

const good = { date_from: '2024-05-16', date_to: '2024-05-30' };
const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`m${index}`, 'gpt-4o-mini']));

const bodies: [name: string, fields: Json, ...faults: Fault[]][] = [
  ['no date_from', { date_from: undefined }, ['/date_from', 'required']],
  ['a date_from after date_to', { date_from: '2024-06-01' }, ['/date_from', 'out_of_range']],
  ['apply_credits', { apply_credits: true }, ['/apply_credits', 'unknown_field']],
  ['an aggregate', { aggregate: 'day' }, ['/aggregate', 'unknown_field']],
  ['a group_by', { group_by: 'customer' }, ['/group_by', 'unknown_field']],
  ['empty alternatives', { alternatives: {} }, ['/alternatives', 'empty']],
  ['101 alternatives', { alternatives: many }, ['/alternatives', 'too_many']],
  ['alternatives that are a list', { alternatives: ['m1'] }, ['/alternatives', 'invalid_type']],
  ['an alternative that is no text', { alternatives: { m1: 3 } }, ['/alternatives/m1', 'invalid_type']],
  ['an alternative without a price', { alternatives: { m1: 'no-such-model' } }, ['/alternatives/m1', 'invalid_value']],
  ['an unknown close', { as_of: 'cls_none' }, ['/as_of', 'invalid_value']],
];

test.each(bodies)('D6.5, D23: %s is a 400 that names it', async (_name, fields, ...faults) => {
  expectFaults(await (await project()).api('POST', '/api/waste/', { ...good, ...fields }), faults);
});

const ofCalls: typeof bodies = [
  ['no cause', { waste: [] }, ['/waste', 'empty']],
  ['an unknown cause', { waste: ['lost'] }, ['/waste/0', 'invalid_value']],
  ['dearer_model without alternatives', { waste: ['dearer_model'] }, ['/alternatives', 'required']],
];

test.each(ofCalls)('D2, D23: a list of calls with %s is a 400 that names it', async (_name, fields, ...faults) => {
  expectFaults(await (await project()).api('POST', '/api/calls/', { ...good, ...fields }), faults);
});
