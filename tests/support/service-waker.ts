import type { Reporter, TestModule, TestProject, TestSpecification } from 'vitest/node';

/** The service that the tests of a vitest project share. */
export interface SharedService {
  /** Lets it go on after its start. */
  wake(): void;
  stop(): Promise<void>;
}

const shared = globalThis as typeof globalThis & {
  farthingServices?: Map<string, SharedService>;
  farthingWaker?: true;
  farthingProjects?: ReadonlySet<TestProject>;
};

/** Whether services are woken. Reporters named on the command line replace the one that wakes them. */
export const areServicesWoken = (): boolean => shared.farthingWaker === true;

/** The projects that have tests in this run, before their set-up; empty where no reporter tells. */
export const projectsOfRun = (): ReadonlySet<TestProject> => shared.farthingProjects ?? new Set();

/** Every vitest project loads the global set-up anew, within one process: the services are shared through it, by project. */
export function sharedServices(): Map<string, SharedService> {
  shared.farthingServices ??= new Map();
  return shared.farthingServices;
}

/** Stops the service of a project, if there is one that still runs. */
export async function stopSharedService(project: string): Promise<void> {
  const service = sharedServices().get(project);
  sharedServices().delete(project);
  await service?.stop();
}

/**
 * Wakes the service of a project before its first test and stops it after its last. Vitest itself starts the services
 * of all projects before the first test and stops them at the end. An idle service with its engine takes 2 % of a core.
 */
export class ServiceWaker implements Reporter {
  readonly #modulesLeft = new Map<string, number>();

  onInit(): void {
    shared.farthingWaker = true;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    shared.farthingProjects = new Set(specifications.map(({ project }) => project));
    for (const { project } of specifications) {
      this.#modulesLeft.set(project.name, (this.#modulesLeft.get(project.name) ?? 0) + 1);
    }
  }

  onTestModuleQueued({ project }: TestModule): void {
    sharedServices().get(project.name)?.wake();
  }

  async onTestModuleEnd({ project }: TestModule): Promise<void> {
    const left = (this.#modulesLeft.get(project.name) ?? 0) - 1;
    this.#modulesLeft.set(project.name, left);
    if (left === 0) await stopSharedService(project.name);
  }
}
