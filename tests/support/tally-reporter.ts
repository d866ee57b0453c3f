import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export interface Tally {
  passed: number;
  /** The number of failed tests plus other errors: files that could not be loaded, errors outside of any test. */
  failed: number;
}

/** The number of the slowest files that are printed. */
const slowest = 12;

/** Prints where the time went, and writes the numbers of passed and failed tests to a file. */
export class TallyReporter implements Reporter {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<SerializedError>): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const broken = modules.filter((module) => module.errors().length > 0);
    const tally: Tally = {
      passed: tests.filter((test) => test.result().state === 'passed').length,
      failed: tests.filter((test) => test.result().state === 'failed').length + broken.length + unhandledErrors.length,
    };
    printTimes(modules);
    writeFileSync(this.#file, JSON.stringify(tally));
  }
}

/** Prints the seconds of each project and of the slowest files. Workers run at once, so the sum is more than the run took. */
function printTimes(modules: readonly TestModule[]): void {
  const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(0).padStart(5);
  const timeOf = (module: TestModule) => {
    const { collectDuration, setupDuration, duration } = module.diagnostic();
    return collectDuration + setupDuration + duration;
  };
  const byProject = Map.groupBy(modules, ({ project }) => project.name);
  const total = (all: readonly TestModule[]) => all.reduce((sum, module) => sum + timeOf(module), 0);
  const lines = [
    'Seconds of processes, by project and of the slowest files:',
    ...[...byProject].map(([name, all]) => `${seconds(total(all))} ${name} (${all.length} files)`),
    ...modules
      .toSorted((one, other) => timeOf(other) - timeOf(one))
      .slice(0, slowest)
      .map((module) => `${seconds(timeOf(module))} ${module.project.name} ${module.relativeModuleId}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
