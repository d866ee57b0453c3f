import type { Project } from '../../accounts/projects.ts';
import type { Day } from '../../lib/days.ts';
import type { ChangesSources } from '../../reports/changes/run.ts';
import type { Cause } from './cause.ts';
import type { AlertKind, Settings } from './kinds/kinds.ts';
import type { Watch } from './watches.ts';

export interface Look {
  readonly project: Project;
  readonly watch: Watch;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** In the timezone of the project. */
  readonly today: Day;
}

export interface LookFor<K extends AlertKind> extends Look {
  readonly settings: Settings<K>;
  readonly sources: ChangesSources;
}

/** Reads the numbers of a project, as the routes do, and finds the causes of a kind in them by its rule. */
export type FindCauses<K extends AlertKind> = (look: LookFor<K>) => Promise<Cause[]>;
