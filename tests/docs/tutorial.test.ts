// Runs the commands of the tutorial and compares their answers with those shown.
import { expect, test } from 'vitest';
import { countShown, expectExamples } from './expect-page.ts';
import { cutToShown, openDesk, readExamples } from './run-page.ts';

test('every command of docs/tutorial.md gives the answer shown beside it', async () => {
  const examples = readExamples('docs/tutorial.md');
  expect(countShown(examples)).toBeGreaterThanOrEqual(18);
  const desk = await openDesk();
  try {
    await expectExamples(desk, examples);
  } finally {
    await desk.close();
  }
});

test('an answer that differs from the shown one fails the comparison', () => {
  const shown = { id: 'prj_…', rows: [{ cost: 0.5 }] };
  expect(cutToShown({ id: 'prj_1', at: 'now', rows: [{ cost: 0.5, more: 1 }] }, shown)).toEqual(shown);
  for (const answered of [
    { id: 'prj_', rows: [{ cost: 0.5 }] },
    { id: 'key_1', rows: [{ cost: 0.5 }] },
    { id: 'prj_1', rows: [{ cost: 0.6 }] },
    { id: 'prj_1', rows: [{ cost: 0.5 }, { cost: 0.5 }] },
    { id: 'prj_1', rows: [{}] },
    { id: 'prj_1', rows: [] },
    { rows: [{ cost: 0.5 }] },
    'prj_1',
  ]) {
    expect(cutToShown(answered, shown)).not.toEqual(shown);
  }
});
