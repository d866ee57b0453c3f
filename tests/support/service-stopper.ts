import type { Reporter, TestModule, TestSpecification } from 'vitest/node';

/** The functions that stop the service of each vitest project. */
class ServiceStops {
  readonly #stops = new Map<string, () => Promise<void>>();

  set(project: string, stop: () => Promise<void>): void {
    this.#stops.set(project, stop);
  }

  /** Stops the service of a project, if one still runs. */
  async stop(project: string): Promise<void> {
    const stop = this.#stops.get(project);
    this.#stops.delete(project);
    await stop?.();
  }
}

const shared = globalThis as typeof globalThis & { farthingServiceStops?: ServiceStops };

/** The stops of all vitest projects, kept globally: each project loads the global set-up again within one process. */
export function stopsOfServices(): ServiceStops {
  shared.farthingServiceStops ??= new ServiceStops();
  return shared.farthingServiceStops;
}

/**
 * Stops the service of a project after its last test. Vitest stops it only at the end of all projects; until then its
 * background work would slow down the tests of the others.
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
