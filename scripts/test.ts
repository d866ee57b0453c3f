// The command behind `npm test`: sees to what the tests need, runs them all, and ends with "N passed, N failed".
import { needs, provide } from './needs.ts';
import { runVitest } from './run-vitest.ts';

for (const need of needs) provide(need);
const { passed, failed, exitCode } = runVitest(process.argv.slice(2));
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? exitCode || 1 : 0);
