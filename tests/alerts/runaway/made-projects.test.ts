import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isLong, usualOrLong } from '../../support/effort.ts';
import { reportFile, withReport } from '../series/report.ts';
import { projectKinds } from './make-projects.ts';
import { measureProjects, renderRunaways, summarise } from './report.ts';

test('D32.2: of planted loops 95% are found, with less than one false alarm a project and month', () => {
  // Those of many runs take ten times as long to judge.
  const measured = isLong
    ? measureProjects()
    : measureProjects(
        3,
        projectKinds.filter((kind) => kind !== 'chat'),
      );
  const { recall, falseAlarms, precision, loops } = summarise(measured);
  expect(loops).toBeGreaterThan(usualOrLong(70, 90));
  expect(recall).toBeGreaterThanOrEqual(0.95);
  expect(falseAlarms).toBeLessThanOrEqual(1);
  expect(precision).toBeGreaterThanOrEqual(0.9);
  if (!isLong) return;
  const page = readFileSync(reportFile, 'utf8');
  const isCurrent = withReport(page, { runaways: renderRunaways(measured) }) === page;
  expect(isCurrent, 'docs/anomalies.md is out of date: run node bin/runtime.js scripts/anomalies.ts --write').toBe(
    true,
  );
});
