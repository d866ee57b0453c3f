import type { Reporter, TestModule, TestSpecification } from 'vitest/node';

/** How the service of each vitest project is stopped. */
class ServiceStops {
  readonly #stops = new Map<string, () => Promise<void>>();

  set(project: string, stop: () => Promise<void>): void {
    this.#stops.set(project, stop);
  }

  /** Stops the service of a project, if there is one that still runs. */
  async stop(project: string): Promise<void> {
    const stop = this.#stops.get(project);
    this.#stops.delete(project);
    await stop?.();
  }
}

const shared = globalThis as typeof globalThis & { farthingServiceStops?: ServiceStops };

/** Every vitest project loads the global set-up anew, within one process: the stops are shared through it. */
export function stopsOfServices(): ServiceStops {
  shared.farthingServiceStops ??= new ServiceStops();
  return shared.farthingServiceStops;
}

/**
 * Stops the service of a project after its last test. By itself vitest does so at the end of all projects, and until then
 * the work that a service has left would slow down the tests of the others.
 */
export class ServiceStopper implements Reporter {
  readonly #modulesLeft = new Map<string, number>();

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    for (const { project } of specifications) {
      this.#modulesLeft.set(project.name, (this.#modulesLeft.get(project.name) ?? 0) + 1);
    }
  }

  async onTestModuleEnd({ project }: TestModule): Promise<void> {
    const left = (this.#modulesLeft.get(project.name) ?? 0) - 1;
    this.#modulesLeft.set(project.name, left);
    if (left === 0) await stopsOfServices().stop(project.name);
  }
}
