import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take half a minute or more each: started last, they would prolong the whole run. And those that erase: the engine
 * takes a step for every part of a table, of which there are few at first.
 */
const slowest =
  /\/tests\/(crash\/(sealed|backup|move|provider-accounts)|docs\/pages|faults\/(disks|stores)|instances\/instances|assembly\/(orders|rivals)|alerts\/(compressed-week|looks)|security\/fuzz|browser\/(every-page|numbers|deciding)|clients\/(guard|sdk\/python))\.|\/property\/|\/D2-(?:retention|erasure)\/|\/D5\.5-reprice\/|\/D19-closes\/|\/D20-alerts\/200|D34-audit\/erased|D29-plans\/saved|D17-stripe\/customers|D14-otlp\/(content|wrappers)|api\/security\/held-bodies/;
/** Files that together wait for whole minutes for processes to start and end. */
const slow = /\/tests\/(crash|assembly|cli|limits)\/|browser\/actions\./;

const rankOf = ({ moduleId }: TestSpecification): number => (slowest.test(moduleId) ? 0 : slow.test(moduleId) ? 1 : 2);

/**
 * Starts the slow files of each project first, so that quick files fill the time beside them. The files of a project stay
 * together: a worker ends where the next file is another project's, and with it the modules and the engine that it has loaded.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project);
    return [...byProject.values()].flatMap((own) => own.sort((one, other) => rankOf(one) - rankOf(other)));
  }
}
