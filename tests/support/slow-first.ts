import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Whole minutes of waiting for processes to start and end: begun last, they would make everyone wait. */
const slow = /\/tests\/(crash|assembly|cli|limits)\//;

/** Starts the slow files first, so that the quick ones fill the time beside them. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [
      ...sorted.filter((file) => slow.test(file.moduleId)),
      ...sorted.filter((file) => !slow.test(file.moduleId)),
    ];
  }
}
