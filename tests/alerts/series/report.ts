import { measureProjects as measureRunaways, renderRunaways } from '../runaway/report.ts';
import { makeAllSeries } from './make-series.ts';
import { measureHours, measureSeries, type Outcome } from './measure.ts';
import { makeProjects, measureProject, withoutFaults } from './measure-project.ts';
import { heldOutSeed, storedSeed } from './stored.ts';
import { countFalseSigns, renderAll, renderHours, renderKinds, renderProjects } from './tables.ts';

export const reportFile = new URL('../../../docs/anomalies.md', import.meta.url);

/** The running day is measured on every eighth series. */
const hourlyShare = 1 / 8;

export const measureAll = (seed: number, share?: number): Outcome[] => makeAllSeries(seed, share).map(measureSeries);

export const reportOfStored = (outcomes: readonly Outcome[]) => ({ stored: renderAll(outcomes) });

export const reportOfHeldOut = (outcomes: readonly Outcome[]) => ({ 'held-out': renderKinds(outcomes) });

export function reportOfHours() {
  const outcomes = makeAllSeries(heldOutSeed, hourlyShare).map((series) => measureHours(heldOutSeed, series));
  const falseSigns = `${countFalseSigns(outcomes)} false alarms of a running day for each series and quarter.`;
  return { hours: `${renderHours(outcomes)}\n\n${falseSigns}` };
}

/** How many customers the projects have, and how many projects of each size there are at most. */
const sizes = [1, 5, 30, 100] as const;
const projectsOfSize = 20;

export const measureProjects = (seed: number, size: number, most = projectsOfSize, share?: number) => {
  const all = makeAllSeries(seed, share);
  return {
    quiet: makeProjects(withoutFaults(all), size, most).map(measureProject),
    faulty: makeProjects(all, size, most).map(measureProject),
  };
};

export const reportOfProjects = () => ({
  projects: renderProjects(sizes.map((size) => ({ size, ...measureProjects(heldOutSeed, size) }))),
});

/** The tables of docs/anomalies.md by name. */
export const renderReport = (): Record<string, string> => ({
  ...reportOfStored(measureAll(storedSeed)),
  ...reportOfHeldOut(measureAll(heldOutSeed)),
  ...reportOfHours(),
  ...reportOfProjects(),
  runaways: renderRunaways(measureRunaways()),
});

const marks = (name: string) => [`<!-- measured: ${name} -->\n`, `\n<!-- end of ${name} -->`] as const;

/** The page with these tables. @throws if the page has no place for one */
export const withReport = (page: string, report: Readonly<Record<string, string>>): string =>
  Object.entries(report).reduce((text, [name, table]) => {
    const [start, end] = marks(name);
    const [from, to] = [text.indexOf(start), text.indexOf(end)];
    if (from === -1 || to === -1) throw new Error(`The page has no place for ${name}`);
    return text.slice(0, from + start.length) + table + text.slice(to);
  }, page);
