import {
  describeFirstProject,
  type FirstProject,
  keepFirstProject,
  makeFirstProject,
} from '../accounts/first-start.ts';
import { toUrl } from '../lib/http/listen.ts';
import { repairControlLoss } from '../rollups/repair/control-loss.ts';
import type { Foundation } from './foundation.ts';
import { whileAlone } from './stores.ts';

export interface Prepared {
  /** The project that a first start has made, with its secrets; else undefined. */
  readonly firstProject: FirstProject | undefined;
  /** Warnings for the operator about changes that the control store has lost. */
  readonly controlLoss: readonly string[];
}

/**
 * Readies the stores before anything is served: repairs what the embedded control store has lost, activates this
 * release's price catalogue, and makes the first project.
 */
export async function prepareStores(foundation: Foundation): Promise<Prepared> {
  const { config, logger, clock, projects, clients, apiKeys, priceBooks } = foundation;
  const { store, control, sparingBroken } = foundation.stores;
  const repairLoss = () => repairControlLoss({ store, control, clock, logger });
  const controlLoss = config.postgresUrl ? [] : await sparingBroken(repairLoss);
  const readyStores = async () => {
    await priceBooks.activateCurrentCatalogue();
    // Written before the project is committed: a start that is killed here leaves no project without its secrets.
    const keep = (made: FirstProject) => {
      keepFirstProject(describeFirstProject(made, toUrl(config.host, config.port)), config.dataDir);
    };
    return await makeFirstProject({ projects, clients, apiKeys, priceBooks, now: clock(), keep });
  };
  return { firstProject: await whileAlone(config, control, () => sparingBroken(readyStores)), controlLoss };
}
