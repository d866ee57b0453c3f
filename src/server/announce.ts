import {
  describeFirstProject,
  dropFirstProject,
  type FirstProject,
  findFirstProject,
  keepFirstProject,
} from '../accounts/first-start.ts';
import type { Foundation } from './foundation.ts';

export interface FirstProjectNote {
  readonly firstProject: FirstProject | undefined;
  /** Where the note is shown; without a terminal it is kept in a file (D1.6). */
  readonly terminal: { write(text: string): void } | undefined;
}

/** Says where the secrets of the first project are: on the terminal, or in a file of the data folder. */
export function announceFirstProject(
  { config, logger }: Foundation,
  url: string,
  { firstProject, terminal }: FirstProjectNote,
): void {
  const { dataDir } = config;
  if (firstProject && terminal) {
    terminal.write(`\n${describeFirstProject(firstProject, url)}\n`);
    dropFirstProject(dataDir);
  } else if (firstProject) {
    // Written again with the actual port, because the configuration may leave the port to the system.
    const path = keepFirstProject(describeFirstProject(firstProject, url), dataDir);
    logger.info({ path }, `first start: open ${url} in a browser and sign in with the API key that is in this file`);
  } else {
    const path = findFirstProject(dataDir);
    if (path)
      logger.info({ path }, 'the keys of the first start are still in this file: keep them elsewhere and delete it');
  }
}
