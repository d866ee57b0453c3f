import { expect, test } from 'vitest';
import { type Json, sharedFarthing } from '../../support/client.ts';
import { expectFaults, type Fault, projectOfTable } from '../../support/faults.ts';
import { expectInvalid } from '../../support/problem.ts';

const farthing = sharedFarthing();
const project = projectOfTable(farthing);

const good = { date_from: '2024-05-16', date_to: '2024-05-30' };
const bodies: [name: string, fields: Json, ...faults: Fault[]][] = [
  ['no date_from', { date_from: undefined }, ['/date_from', 'required']],
  ['no date_to', { date_to: undefined }, ['/date_to', 'required']],
  ['a date_from after date_to', { date_from: '2024-06-01' }, ['/date_from', 'out_of_range']],
  ['a range of 3,661 days', { date_from: '2014-05-23' }, ['/date_from', 'out_of_range']],
  ['a before_from that does not exist', { before_from: '2024-02-30' }, ['/before_from', 'invalid_value']],
  [
    'a before_from after before_to',
    { before_from: '2024-04-02', before_to: '2024-04-01' },
    ['/before_from', 'out_of_range'],
  ],
  ['a before_from after the default before_to', { before_from: '2024-05-16' }, ['/before_from', 'out_of_range']],
  ['a before_to before 2000', { before_to: '1999-12-31' }, ['/before_to', 'out_of_range']],
  ['an aggregate', { aggregate: 'day' }, ['/aggregate', 'unknown_field']],
  ['a group_by that is no tag', { group_by: 'customer' }, ['/group_by', 'invalid_value']],
  ['a cursor', { cursor: 'nonsense' }, ['/cursor', 'unknown_field']],
  ['an empty customers', { customers: [] }, ['/customers', 'empty']],
  ['apply_credits that is text', { apply_credits: 'yes' }, ['/apply_credits', 'invalid_type']],
  ['a limit of 0', { limit: 0 }, ['/limit', 'out_of_range']],
  ['a limit of 1,001', { limit: 1_001 }, ['/limit', 'out_of_range']],
];

test.each(bodies)('D6.5, D21: %s is a 400 that names it', async (_name, fields, ...faults) => {
  expectFaults(await (await project()).api('POST', '/api/changes/', { ...good, ...fields }), faults);
});

test('D11.1, D21: the faults of both ranges are reported at once', async () => {
  const body = { date_from: '2024-05-02', date_to: '2024-05-01', before_from: '2024-04-02', before_to: '2024-04-01' };
  const answer = await (await project()).api('POST', '/api/changes/', body);
  expectInvalid(answer, ['/date_from', '/before_from']);
  expect(answer.text).toContain('before_from must not be after before_to, 2024-04-01');
});
