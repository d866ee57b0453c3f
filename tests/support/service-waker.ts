import type { Reporter, TestModule, TestProject, TestSpecification } from 'vitest/node';

/** The service that the tests of vitest projects with the same settings of it share. */
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

/** Projects with the same settings have the same service: this is its name. */
export function serviceNameOf(project: TestProject): string {
  const { stores, seals, alerts } = project.getProvidedContext();
  return `${stores}, ${seals ? 'sealed' : 'open'}${alerts ? ', with alerts' : ''}`;
}

/** Every vitest project loads the global set-up anew, within one process: the services are shared through it, by name. */
export function sharedServices(): Map<string, SharedService> {
  shared.farthingServices ??= new Map();
  return shared.farthingServices;
}

/** Stops a service, if it still runs. */
export async function stopSharedService(name: string): Promise<void> {
  const service = sharedServices().get(name);
  sharedServices().delete(name);
  await service?.stop();
}

/**
 * Wakes a service before the first of its tests and stops it after the last. Vitest itself starts the services
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
      const name = serviceNameOf(project);
      this.#modulesLeft.set(name, (this.#modulesLeft.get(name) ?? 0) + 1);
    }
  }

  onTestModuleQueued({ project }: TestModule): void {
    sharedServices().get(serviceNameOf(project))?.wake();
  }

  async onTestModuleEnd({ project }: TestModule): Promise<void> {
    const name = serviceNameOf(project);
    const left = (this.#modulesLeft.get(name) ?? 0) - 1;
    this.#modulesLeft.set(name, left);
    if (left === 0) await stopSharedService(name);
  }
}
