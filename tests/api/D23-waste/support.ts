// Answers of POST /api/waste/ with their exact fields.
import { expect } from 'vitest';
import { z } from 'zod';
import { expectStatus, type Json, onceCaughtUp, type Project } from '../../support/client.ts';

export const causes = ['failed', 'retried', 'aborted', 'uncached_input', 'dearer_model'] as const;
export type WasteCause = (typeof causes)[number];

const wasteAnswer = z.strictObject({
  total_cost: z.number(),
  calls: z.number().int(),
  wasted: z.number(),
  wasted_at_most: z.number(),
  share: z.number().min(0).max(1),
  rows: z.array(
    z.strictObject({
      cause: z.enum(causes),
      bound: z.enum(['exact', 'upper']),
      calls: z.number().int(),
      amount: z.number().min(0),
      share: z.number().min(0).max(1),
      definition: z.string().min(1),
    }),
  ),
});
export type Waste = z.infer<typeof wasteAnswer>;

/** The answer, which must be a 200 whose amounts add up to what was wasted, and to no more than the cost. */
export async function askWaste(project: Project, body: Json): Promise<Waste> {
  const answer = wasteAnswer.parse(
    expectStatus(await onceCaughtUp(() => project.api('POST', '/api/waste/', body)), 200),
  );
  expect(answer.rows.map(({ cause }) => cause)).toEqual(causes.slice(0, body.alternatives === undefined ? 4 : 5));
  const sumOf = (rows: Waste['rows']) => rows.reduce((total, { amount }) => total + amount, 0);
  expect(sumOf(answer.rows.filter(({ bound }) => bound === 'exact'))).toBeCloseTo(answer.wasted, 9);
  expect(sumOf(answer.rows)).toBeCloseTo(answer.wasted_at_most, 9);
  expect(answer.wasted_at_most).toBeLessThanOrEqual(answer.total_cost);
  return answer;
}

/** Calls and amount by cause, of the causes that have calls. */
export const byCause = ({ rows }: Waste) =>
  Object.fromEntries(rows.filter(({ calls }) => calls > 0).map(({ cause, calls, amount }) => [cause, [calls, amount]]));
