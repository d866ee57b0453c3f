import { expect, test } from 'vitest';
import { expectStatus, type Json, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';
import { reconcilePage } from './support.ts';

const farthing = sharedFarthing();
const tenYears = { date_from: '2016-01-01', date_to: '2025-12-31' };

/** Entries of ten years, each for a model of its own. */
const entries: Json[] = Array.from({ length: 1_000 }, (_, index) => ({
  ...tenYears,
  external_id: `entry ${index}`,
  provider: 'openai',
  model: `model-${index}`,
  amount: '3653',
}));

test('D18: a reconciliation that would take too much memory is refused, with what can be asked for', async () => {
  const project = await farthing.createProject();
  expectStatus(await project.api('POST', '/api/invoices/', { entries }), 201);
  const asked = { ...tenYears, aggregate: 'day', group_by: 'model' };
  const refused = await project.api('POST', '/api/reconciliation/', asked);
  expectProblem(refused, 400, 'answer_too_large');
  const { detail } = refused.body as { detail: string };
  expect(detail).toContain('ask for at most 125 days');

  const { rows } = await reconcilePage(project, { ...asked, date_to: '2016-01-05', limit: 1_000 });
  expect(rows).toHaveLength(1_000);
  expect(rows.every(({ invoiced, computed }) => invoiced === 1 && computed === 0)).toBe(true);
});
