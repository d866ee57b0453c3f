/**
 * Prints how well anomalies are found in made series: `node bin/runtime.js scripts/anomalies.ts`. docs/anomalies.md has the same tables;
 * with `--write` it gets them, and the series of the first seed are stored anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { makeAllSeries } from '../tests/alerts/series/make-series.ts';
import { renderReport, reportFile, withReport } from '../tests/alerts/series/report.ts';
import { renderSeries, storedFile, storedSeed } from '../tests/alerts/series/stored.ts';

const report = renderReport();
for (const [name, table] of Object.entries(report)) console.log(`${name}\n\n${table}\n`);
if (process.argv.includes('--write')) {
  writeFileSync(storedFile, gzipSync(renderSeries(makeAllSeries(storedSeed)), { level: 9 }));
  writeFileSync(reportFile, withReport(readFileSync(reportFile, 'utf8'), report));
}
