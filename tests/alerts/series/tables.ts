import { calcMedian } from '../../../src/lib/statistics.ts';
import { quarter } from './made-series.ts';
import type { HourlyOutcome, Outcome } from './measure.ts';
import type { ProjectOutcome } from './measure-project.ts';

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const share = (count: number, of: number): string => (of === 0 ? '–' : (count / of).toFixed(2));

/** How many of the faults that are asked for were found, of how many. */
export function countFound(
  outcomes: readonly Pick<Outcome, 'faults'>[],
  isAskedFor: (fault: Outcome['faults'][number]['fault']) => boolean,
) {
  const faults = outcomes.flatMap((outcome) => outcome.faults).filter(({ fault }) => isAskedFor(fault));
  return { found: faults.filter(({ isFound }) => isFound).length, all: faults.length };
}

/** The alarms of a series in the quarter that nothing explains, on average. */
export const countFalseAlarms = (outcomes: readonly Outcome[]): number =>
  sum(outcomes.map(({ falseAlarms }) => falseAlarms)) / outcomes.length;

const sizes = [
  ['× 1.5', 1.5],
  ['× 2', 2],
  ['× 3', 3],
  ['× 5', 5],
  ['half', 0.5],
  ['nothing', 0],
] as const;

function row(name: string, outcomes: readonly Outcome[]): string {
  const right = sum(outcomes.map(({ rightAlarms }) => rightAlarms));
  const wrong = sum(outcomes.map(({ falseAlarms }) => falseAlarms));
  const recalls = sizes.map(([, factor]) => {
    const { found, all } = countFound(outcomes, (fault) => fault.factor === factor);
    return share(found, all);
  });
  const cells = [name, outcomes.length, countFalseAlarms(outcomes).toFixed(2), share(right, right + wrong), ...recalls];
  return `| ${cells.join(' | ')} |`;
}

const heading = [
  `| Series | Number | False alarms | Precision | ${sizes.map(([name]) => name).join(' | ')} |`,
  `|---|---|---|---|${sizes.map(() => '---').join('|')}|`,
];

/** Of all series together: false alarms, precision, and recall by size of fault. */
export const renderAll = (outcomes: readonly Outcome[]): string => [...heading, row('**all**', outcomes)].join('\n');

/** The same by kind of series. */
export function renderKinds(outcomes: readonly Outcome[]): string {
  const kinds = [...new Set(outcomes.map(({ series }) => series.kind))];
  const ofKind = (kind: string) => outcomes.filter(({ series }) => series.kind === kind);
  return [...heading, ...kinds.map((kind) => row(kind, ofKind(kind))), row('**all**', outcomes)].join('\n');
}

/** Of jumps: how many are found before their first day is over, and after how many hours. */
export function renderHours(outcomes: readonly HourlyOutcome[]): string {
  const jumps = outcomes.flatMap((outcome) => outcome.jumps);
  const rows = sizes
    .filter(([, factor]) => factor > 1)
    .map(([name, factor]) => {
      const ofSize = jumps.filter((jump) => jump.factor === factor);
      const hours = ofSize.flatMap((jump) => jump.hours ?? []);
      return `| ${name} | ${ofSize.length} | ${share(hours.length, ofSize.length)} | ${calcMedian(hours)} |`;
    });
  return ['| Jump | Number | Found | Hours, median |', '|---|---|---|---|', ...rows].join('\n');
}

/** By number of customers: false alarms of a project without faults, in a month, and recall by size of fault. */
export function renderProjects(
  all: readonly {
    readonly size: number;
    readonly quiet: readonly ProjectOutcome[];
    readonly faulty: readonly ProjectOutcome[];
  }[],
): string {
  const rows = all.map(({ size, quiet, faulty }) => {
    const recalls = sizes.map(([, factor]) => {
      const { found, all: known } = countFound(faulty, (fault) => fault.factor === factor);
      return share(found, known);
    });
    return `| ${[size, quiet.length, countAlarms(quiet).toFixed(2), ...recalls].join(' | ')} |`;
  });
  return [
    `| Customers | Projects | False alarms a month | ${sizes.map(([name]) => name).join(' | ')} |`,
    `|---|---|---|${sizes.map(() => '---').join('|')}|`,
    ...rows,
  ].join('\n');
}

/** What fires in a month of a project, on average. */
export const countAlarms = (outcomes: readonly ProjectOutcome[]): number =>
  sum(outcomes.map(({ alarms }) => alarms)) / outcomes.length;

/** Alarms of usual days before they were over, for each series and quarter. */
export const countFalseSigns = (outcomes: readonly HourlyOutcome[]): string =>
  (
    (quarter * sum(outcomes.map(({ falseAlarms }) => falseAlarms))) /
    sum(outcomes.map(({ usualDays }) => usualDays))
  ).toFixed(2);
