import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlStore, openControlStore } from '../../src/control/control-store.ts';
import { maxOverrides, PriceBooks } from '../../src/pricing/price-books.ts';
import { Projects } from '../../src/projects/projects.ts';
import { makeDataDir } from '../support/service.ts';

const dataDir = makeDataDir();
let control: ControlStore;

beforeAll(async () => {
  control = await openControlStore({ dataDir, postgresUrl: undefined, onError: () => undefined });
});
afterAll(async () => {
  await control.destroy();
  rmSync(dataDir, { recursive: true });
});

const priceOf = (model: string) => ({
  provider: null,
  model,
  serviceTier: null,
  effectiveFrom: null,
  effectiveTo: null,
  inputPerMtok: '1',
  outputPerMtok: '2',
  cacheReadPerMtok: null,
  cacheWritePerMtok: null,
  inputAudioPerMtok: null,
  outputAudioPerMtok: null,
  reasoningPerMtok: null,
  perRequest: null,
});

const makeProject = async (): Promise<string> => {
  const fields = { name: 'p', type: 'revenue', timezone: 'UTC', atRiskBelowPct: null } as const;
  return (await new Projects(control, Date.now).create(fields, new PriceBooks(control, Date.now))).id;
};

/** Whether the newest book of a project has a price for a model. */
async function hasPrice(books: PriceBooks, projectId: string, model: string): Promise<boolean> {
  const { opened } = (await books.ofProject(projectId)).newest;
  const subject = { provider: '', model, serviceTier: '', time: 0, day: '2026-01-01', inputTokens: 0 };
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
  const projectId = await makeProject();
  const ahead = new PriceBooks(control, () => Date.now() + 600);
  const behind = new PriceBooks(control, Date.now);
  await ahead.add(projectId, priceOf('first'));
  await behind.add(projectId, priceOf('second'));
  for (const books of [ahead, behind]) {
    expect(await hasPrice(books, projectId, 'first')).toBe(true);
    expect(await hasPrice(books, projectId, 'second')).toBe(true);
  }
});

test('D5.3: a project has a most of overrides, each of which every later book holds', async () => {
  const projectId = await makeProject();
  const books = new PriceBooks(control, Date.now);
  const definition = JSON.stringify(priceOf('many'));
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
  const last = await books.add(projectId, priceOf('last'));
  expect(last).toMatchObject({ model: 'last' });
  expect(await books.add(projectId, priceOf('one too many'))).toBeNull();
  expect(await books.list(projectId)).toHaveLength(maxOverrides);
  await books.remove(projectId, last?.id ?? '');
  expect(await books.add(projectId, priceOf('again'))).toMatchObject({ model: 'again' });
});
