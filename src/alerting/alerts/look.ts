import type { Project } from '../../accounts/projects.ts';
import type { Day } from '../../lib/days.ts';
import type { Cause } from './cause.ts';
import type { Watch } from './watches.ts';

/** One look at a project for one kind of alert. */
export interface Look {
  readonly project: Project;
  readonly watch: Watch;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** In the timezone of the project. */
  readonly today: Day;
}

/** Reads the numbers of a project and finds the causes of a kind in them. */
export type FindCauses = (look: Look) => Promise<Cause[]>;
