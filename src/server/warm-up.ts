import type { Project } from '../accounts/projects.ts';
import { askCosts, askUsage } from '../alerting/rule/ask.ts';
import { readGenerations } from '../calls/generations.ts';
import type { Day } from '../lib/days.ts';
import { CellCache } from '../reports/asking/cell-cache.ts';
import type { Assembly } from './assembly.ts';
import type { Foundation } from './foundation.ts';
import type { Memory } from './memory.ts';

/** The most projects to look for one with sealed days in. */
const mostProjects = 10;

/** Nobody's name, so that few rows are read and none is kept. */
const nobody = '\u{10ffff}';

type WarmUpSources = Pick<Foundation, 'logger' | 'stores' | 'clock' | 'projects' | 'priceBooks'>;

/**
 * Asks the usual questions once about one sealed day of one project. The embedded engine takes five times as long for
 * the first statement of a kind as for the second, because its code is read from disk when it first runs.
 * Nothing depends on the answers, so a failure is only logged.
 */
export async function warmUp(
  sources: WarmUpSources,
  assembly: Pick<Assembly, 'progress'>,
  memory: Pick<Memory, 'answerCache'>,
): Promise<void> {
  // A server has run the code for others.
  if (sources.stores.engine === undefined) return;
  try {
    await askOnce(sources, assembly, memory);
  } catch (error) {
    sources.logger.debug({ err: error }, 'the engine could not be warmed up');
  }
}

async function askOnce(
  { stores, clock, projects, priceBooks }: WarmUpSources,
  { progress }: Pick<Assembly, 'progress'>,
  { answerCache }: Pick<Memory, 'answerCache'>,
): Promise<void> {
  const { store, control } = stores;
  const found = await findSealedDay(await projects.list(), async ({ id }) => await readGenerations(control, id));
  if (!found) return;
  const { project, day } = found;
  const sources = { store, control, clock, progress, answerCache, cellCache: new CellCache(store), priceBooks };
  const asker = { project, now: clock(), sources };
  const range = { date_from: day, date_to: day };
  await askCosts(asker, range);
  await askCosts(asker, { ...range, group_by: 'model' });
  await askCosts(asker, { ...range, customers: [nobody] });
  await askCosts(asker, { ...range, group_by: 'customer', features: [nobody] });
  await askUsage(asker, { ...range, group_by: 'model', customers: [nobody] });
}

async function findSealedDay(
  projects: readonly Project[],
  read: (project: Project) => Promise<{ readonly seals: ReadonlyMap<Day, number> }>,
): Promise<{ project: Project; day: Day } | undefined> {
  for (const project of projects.slice(0, mostProjects)) {
    const day = [...(await read(project)).seals.keys()].sort().at(-1);
    if (day !== undefined) return { project, day };
  }
  return undefined;
}
