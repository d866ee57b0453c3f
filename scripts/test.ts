/*
 * The command behind `npm test`: installs what the tests need, runs them, and ends with "N passed, N failed".
 *
 *   node bin/runtime.js scripts/test.ts [--long] [vitest's options and files]
 */
import { parseArgs } from 'node:util';
import { needs, provide } from './needs.ts';
import { runVitest } from './run-vitest.ts';

/** About how long the long form takes (`--long`), on two cores that have nothing else to do. */
const longHours = 3;

for (const need of needs) provide(need);
const { long = false } = parseArgs({ options: { long: { type: 'boolean' } }, strict: false }).values;
if (long) console.log(`The long form takes about ${longHours} hours on two cores.`);
const args = process.argv.slice(2).filter((arg) => arg !== '--long');
const { passed, failed, exitCode } = runVitest(args, long ? { TEST_EFFORT: 'long' } : {});
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? exitCode || 1 : 0);
