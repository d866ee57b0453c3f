import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { callEvent, historyOf } from '../support/arbitraries/history.ts';
import { days } from '../support/arbitraries/names.ts';
import { costsQuery } from '../support/arbitraries/questions.ts';
import { expectStatus, type Json, type Project, sharedFarthing } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { modelUsage } from '../support/model.ts';
import { checkCases } from '../support/random-cases.ts';
import { storeHistory } from '../support/stored-history.ts';

const farthing = sharedFarthing();

const page = z.object({ rows: z.array(z.looseObject({})), next_cursor: z.string().nullable() });

async function allUsage(project: Project, query: object): Promise<Json[]> {
  const rows: Json[] = [];
  let cursor: string | null = null;
  do {
    const body = { limit: 1_000, ...query, ...(cursor !== null && { cursor }) };
    const answer: z.output<typeof page> = page.parse(expectStatus(await project.api('POST', '/api/usage/', body), 200));
    rows.push(...answer.rows);
    cursor = answer.next_cursor;
  } while (cursor !== null);
  return rows;
}

test('D2, D26: calls, tokens and units equal the model, by every grouping and filter', async () => {
  const count = usualOrLong(3, 16);
  const queries = fc.array(costsQuery, { minLength: count, maxLength: count });
  await checkCases([historyOf(callEvent(days)), queries], 100, async (past, asked) => {
    const { project, model } = await storeHistory(farthing, past, { tag_dimensions: ['env'] });
    const answers = await Promise.all(asked.map((query) => allUsage(project, query)));
    for (const [index, query] of asked.entries()) {
      const expected = modelUsage(model, query);
      expect(answers[index]).toMatchObject(expected);
      // A partial match would take a unit that the model lacks.
      expect(answers[index]?.map(({ units }) => units)).toEqual(expected.map(({ units }) => units));
    }
  });
});
