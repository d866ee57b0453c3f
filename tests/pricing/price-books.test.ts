import { afterAll, expect, test } from 'vitest';
import { Projects } from '../../src/accounts/projects.ts';
import { noTerms } from '../../src/lib/units.ts';
import { maxOverrides, PriceBooks } from '../../src/pricing/books/price-books.ts';
import { makeProject, openControl } from '../support/stores.ts';
import { overrideOf } from './support.ts';

const { control, close } = await openControl();
afterAll(close);

/** Whether the newest book of a project has a price for a model. */
async function hasPrice(books: PriceBooks, projectId: string, model: string): Promise<boolean> {
  const { opened } = (await books.ofProject(projectId)).newest;
  const subject = { provider: '', model, terms: noTerms, time: 0, day: '2026-01-01', inputTokens: 0 };
  return typeof opened.resolvePrice(subject) !== 'string';
}

test('D5.7: a project whose first book cannot be made is not made either: none of its calls could be costed', async () => {
  const projects = new Projects(control, Date.now);
  const fields = { name: 'p', type: 'revenue', timezone: 'UTC', atRiskBelowPct: null } as const;
  const broken = new PriceBooks(control, () => Number.NaN);
  await expect(projects.create(fields, broken)).rejects.toThrow();
  expect(await projects.list()).toEqual([]);
});

test('D5.3: an override added on an instance whose clock is behind is not lost behind the book of another', async () => {
  const projectId = (await makeProject(control, Date.now)).id;
  const ahead = new PriceBooks(control, () => Date.now() + 600);
  const behind = new PriceBooks(control, Date.now);
  await ahead.add(projectId, overrideOf({ model: 'first' }));
  await behind.add(projectId, overrideOf({ model: 'second' }));
  for (const books of [ahead, behind]) {
    expect(await hasPrice(books, projectId, 'first')).toBe(true);
    expect(await hasPrice(books, projectId, 'second')).toBe(true);
  }
});

test('D5.3: after a clock was set back far, a new price is refused with a reason, neither kept waiting nor out of force', async () => {
  const projectId = (await makeProject(control, Date.now)).id;
  const ahead = new PriceBooks(control, () => Date.now() + 3_600_000);
  const behind = new PriceBooks(control, Date.now);
  await ahead.add(projectId, overrideOf({ model: 'first' }));
  const [first] = await behind.list(projectId);
  const refused = expect.objectContaining({ code: 'unavailable', detail: expect.stringContaining('clock') });
  await expect(behind.add(projectId, overrideOf({ model: 'second' }))).rejects.toEqual(refused);
  await expect(behind.remove(projectId, first?.id ?? '')).rejects.toEqual(refused);
  expect(await behind.list(projectId)).toEqual([first]);
  // A start is not held up.
  const startedAt = performance.now();
  await behind.activateFor(projectId);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test('D5.3: a project has a most of overrides, each of which every later book holds', async () => {
  const projectId = (await makeProject(control, Date.now)).id;
  const books = new PriceBooks(control, Date.now);
  const definition = JSON.stringify(overrideOf({ model: 'many' }));
  const rows = Array.from({ length: maxOverrides - 1 }, (_, index) => ({
    id: `prc_${index}`,
    project_id: projectId,
    created_at: index,
    definition,
  }));
  for (let at = 0; at < rows.length; at += 500) {
    await control
      .insertInto('price_overrides')
      .values(rows.slice(at, at + 500))
      .execute();
  }
  const last = await books.add(projectId, overrideOf({ model: 'last' }));
  expect(last).toMatchObject({ model: 'last' });
  expect(await books.add(projectId, overrideOf({ model: 'one too many' }))).toBeNull();
  expect(await books.list(projectId)).toHaveLength(maxOverrides);
  await books.remove(projectId, last?.id ?? '');
  expect(await books.add(projectId, overrideOf({ model: 'again' }))).toMatchObject({ model: 'again' });
});
