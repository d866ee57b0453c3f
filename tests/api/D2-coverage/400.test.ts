import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectInvalid } from '../../support/problem.ts';

const farthing = sharedFarthing();

test.each([
  ['every fault at once', 'date_from=yesterday&date_to=2024-02-30&colour=red', ['/date_from', '/date_to', '/colour']],
  ['a day given twice', 'date_from=2024-05-01&date_from=2024-05-02', ['/date_from']],
  ['an empty day', 'date_from=', ['/date_from']],
  ['a day before 2000', 'date_from=1999-12-31&date_to=2000-01-01', ['/date_from']],
  ['a range that ends before it begins', 'date_from=2024-05-02&date_to=2024-05-01', ['/date_from']],
  ['a day after today', 'date_from=2100-01-01', ['/date_from']],
  ['a range of more than 3,660 days', 'date_from=2000-01-01&date_to=2010-01-08', ['/date_from']],
])('D6.5: %s is a 400', async (_name, query, pointers) => {
  const project = await farthing.createProject();
  expectInvalid(await project.api('GET', `/api/coverage/?${query}`), pointers, 'invalid_query');
});

test('D6.5: a range of 3,660 days is accepted', async () => {
  const project = await farthing.createProject();
  expect((await project.api('GET', '/api/coverage/?date_from=2000-01-01&date_to=2010-01-07')).status).toBe(200);
});
