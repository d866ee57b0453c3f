import { costEvent, type Json, type Project, sharedFarthing } from '../../support/client.ts';

/** A project whose calls report these costs. */
export async function projectWith(...events: (Json & { cost: number })[]): Promise<Project> {
  const project = await sharedFarthing().createProject();
  await project.post(...events.map(costEvent));
  return project;
}
