import type { Project } from '../../accounts/projects.ts';
import type { Day } from '../../lib/days.ts';
import type { ChangesSources } from '../../reports/changes/run.ts';
import type { Cause } from './cause.ts';
import type { KindDefinition, SettingsOf } from './kind.ts';

/** Since when a project is watched for a kind. */
export interface Watched {
  /** Only causes from this instant on fire. Milliseconds since 1970. */
  readonly since: number;
  /** Whether a look has noted the causes that existed already at that instant. */
  readonly hasBegun: boolean;
  /** The last day, in the project's timezone, that was looked at; at first the day on which a new project begins. */
  readonly lookedDay: Day | undefined;
}

export interface Look<Watch extends Watched = Watched> {
  readonly project: Project;
  readonly watch: Watch;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** In the timezone of the project. */
  readonly today: Day;
}

export interface LookFor<Kind extends KindDefinition> extends Look {
  readonly settings: SettingsOf<Kind>;
  readonly sources: ChangesSources;
}

/** Reads the numbers of a project, as the routes do, and finds the causes of a kind in them by its rule. */
export type FindCauses<Kind extends KindDefinition> = (look: LookFor<Kind>) => Promise<Cause[]>;
