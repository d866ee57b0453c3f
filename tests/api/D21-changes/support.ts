// Answers of POST /api/changes/ with their exact fields.
import { expect } from 'vitest';
import { z } from 'zod';
import { expectStatus, type Json, type Project } from '../../support/client.ts';

export const causes = [
  'calls',
  'mix',
  'failures',
  'tokens_per_call',
  'cached_share',
  'prices',
  'new_customers',
  'vanished_customers',
] as const;
export type Cause = (typeof causes)[number];

const amounts = {
  cost_before: z.number(),
  cost: z.number(),
  difference: z.number(),
  parts: z.strictObject(Object.fromEntries(causes.map((cause) => [cause, z.number()])) as Record<Cause, z.ZodNumber>),
};
const count = z.number().int();

const rankedBy = (name: 'customer' | 'feature' | 'model' | 'tag') => {
  // Rows of every dimension are read by one name.
  const rename = (row: unknown) => {
    const { [name]: value, ...rest } = Object(row) as Json;
    return { name: value, ...rest };
  };
  const row = <Fields extends z.ZodRawShape>(fields: Fields) =>
    z.preprocess(rename, z.strictObject({ name: z.string(), ...fields }));
  return z.strictObject({
    rows: z.array(row(amounts)),
    others: z.strictObject({ count, ...amounts }),
    causes: z.array(
      z.strictObject({
        cause: z.enum(causes),
        amount: z.number(),
        rows: z.array(row({ amount: z.number() })),
        others: z.strictObject({ count, amount: z.number() }),
      }),
    ),
  });
};

const changesAnswer = z.strictObject({
  date_from: z.string(),
  date_to: z.string(),
  before_from: z.string(),
  before_to: z.string(),
  hours: z.int().nullable(),
  ...amounts,
  by_customer: rankedBy('customer'),
  by_model: rankedBy('model'),
  by_feature: rankedBy('feature'),
  by_tag: rankedBy('tag').optional(),
});
export type Changes = z.infer<typeof changesAnswer>;
export const dimensions = ['customer', 'model', 'feature'] as const;

export async function askChanges(project: Project, body: Json): Promise<Changes> {
  const answer = changesAnswer.parse(expectStatus(await project.api('POST', '/api/changes/', body), 200));
  expectWhole(answer);
  return answer;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Every list adds up: by cause, by value and by both. Doubles are near the exact amounts, so sums of them are too. */
function expectWhole(answer: Changes): void {
  const scale = Math.max(answer.cost, answer.cost_before, 1e-9);
  const expectSame = (a: number, b: number, what: string) =>
    expect(Math.abs(a - b), `${what}: ${a}, ${b}`).toBeLessThanOrEqual(1e-9 * scale);
  const expectParts = (row: Pick<Changes, keyof typeof amounts>, what: string) => {
    expectSame(row.difference, row.cost - row.cost_before, `${what}, difference`);
    expectSame(sum(Object.values(row.parts)), row.difference, `${what}, parts`);
  };
  expectParts(answer, 'whole');
  for (const dimension of [...dimensions, 'tag'] as const) {
    const ranked = answer[`by_${dimension}`];
    if (ranked === undefined) continue;
    const { rows, others, causes: byCause } = ranked;
    const all = [...rows, others];
    for (const row of all) expectParts(row, dimension);
    expectSame(sum(all.map(({ cost }) => cost)), answer.cost, `${dimension}, cost`);
    expectSame(sum(all.map(({ cost_before }) => cost_before)), answer.cost_before, `${dimension}, cost before`);
    expect(byCause.map(({ cause }) => cause).toSorted()).toEqual([...causes].toSorted());
    expectSame(sum(byCause.map(({ amount }) => amount)), answer.difference, `${dimension}, causes`);
    for (const { cause, amount, rows: ofCause, others: rest } of byCause) {
      expectSame(sum(ofCause.map((row) => row.amount)) + rest.amount, amount, `${dimension}, ${cause}`);
      expectSame(sum(all.map(({ parts }) => parts[cause])), amount, `${dimension}, rows of ${cause}`);
      // Features, and tags of calls, are split on their own.
      if (dimension !== 'feature' && dimension !== 'tag')
        expectSame(amount, answer.parts[cause], `${dimension}, ${cause} of the whole`);
      expectLargestFirst(ofCause.map((row) => row.amount));
    }
    expectLargestFirst(byCause.map(({ amount }) => amount));
    expectLargestFirst(rows.map(({ difference }) => difference));
  }
}

function expectLargestFirst(amountsOf: readonly number[]): void {
  const sizes = amountsOf.map(Math.abs);
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
}
