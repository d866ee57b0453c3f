// The table of docs/anomalies.md about runaways.
import { type LoopKind, makeProject, type ProjectKind, projectKinds } from './make-projects.ts';
import { type Measured, measure } from './measure.ts';

/** Nothing was chosen on projects of this seed. */
const heldOutSeed = 2;
const projectsOfKind = 8;

export const measureProjects = (count = projectsOfKind, kinds: readonly ProjectKind[] = projectKinds): Measured[] =>
  kinds.flatMap((kind) =>
    Array.from({ length: count }, (_, index) =>
      measure(makeProject(kind, heldOutSeed * 1_000 + index * 17 + projectKinds.indexOf(kind) * 131)),
    ),
  );

export function summarise(measured: readonly Measured[], isWanted: (kind: LoopKind) => boolean = () => true) {
  const loops = measured.flatMap(({ found }) => [...found]).filter(([{ kind }]) => isWanted(kind));
  const minutes = loops.flatMap(([, after]) => (after === undefined ? [] : [after])).sort((a, b) => a - b);
  const falseAlarms = measured.reduce((sum, one) => sum + one.falseAlarms, 0);
  return {
    loops: loops.length,
    recall: minutes.length / loops.length,
    precision: minutes.length / (minutes.length + falseAlarms),
    falseAlarms: falseAlarms / measured.length,
    minutes: minutes[Math.floor(minutes.length / 2)] ?? 0,
  };
}

export function renderRunaways(measured: readonly Measured[]): string {
  const rows = [...projectKinds, undefined].map((kind) => {
    const ofKind = measured.filter(({ project }) => kind === undefined || project.kind === kind);
    const { recall, precision, falseAlarms, minutes } = summarise(ofKind);
    const cells = [ofKind.length, falseAlarms.toFixed(2), precision.toFixed(2), recall.toFixed(2), minutes];
    return `| ${[kind ?? '**all**', ...cells].join(' | ')} |`;
  });
  const head =
    '| Projects | Number | False alarms a month | Precision | Recall | Minutes, median |\n|---|---|---|---|---|---|';
  return [head, ...rows].join('\n');
}
