import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { addRevenue, allMargin, marginOf } from '../../support/margin.ts';

const farthing = sharedFarthing();

test('D7.3: apply_credits lowers the cost and changes the margin with it', async () => {
  const project = await farthing.createProject();
  const call = (customer: string, cost: number) => costEvent({ cost, provider: 'openai', tags: { customer } });
  await project.post(call('a', 6), call('b', 2));
  const day = { date_from: '2024-05-15', date_to: '2024-05-15' };
  await addRevenue(
    project,
    { external_id: '1', customer: 'a', amount: 4, ...day },
    { external_id: '2', customer: 'b', amount: 4, ...day },
  );
  const grant = { provider: 'OpenAI', amount: 4, starts_on: '2024-05-01' };
  expectStatus(await project.api('POST', '/api/credit-grants/', grant), 201);

  const costs = async (fields: object) =>
    (await allMargin(project, { ...day, group_by: 'customer', ...fields })).map(({ cost, margin }) => [cost, margin]);
  expect(await costs({})).toEqual([
    [6, -2],
    [2, 2],
  ]);
  expect(await costs({ apply_credits: true })).toEqual([
    [3, 1],
    [1, 3],
  ]);
  // The fraction is the whole project's, for any filter (D7.2).
  expect(await costs({ apply_credits: true, customers: ['b'] })).toEqual([[1, 3]]);
  const { rows } = await marginOf(project, { ...day, apply_credits: true });
  expect(rows).toMatchObject([{ revenue: 8, cost: 4, margin: 4, margin_pct: 50, risk_status: 'healthy' }]);
});
