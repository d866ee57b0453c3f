/**
 * Work that the holder of the lease does in small steps, between two batches of assembly. Assembly waits for each step,
 * so a step takes a fraction of a second. The process may die in any of them: the next holder goes on with what is
 * stored.
 */
export interface BackgroundJob {
  /** As it is called in the log and in the metric of its time. */
  readonly name: string;
  /** Whether it takes no step while a backup is under way, since it deletes or freezes what that may still read. */
  readonly restsDuringBackup: boolean;
  /** Works for a moment; true when there is more to do at once. @throws LeaseLost */
  step(state: JobState): Promise<boolean>;
}

export interface JobState {
  /** Whether something more urgent waits: events to assemble, or another job that was asked for. */
  readonly isBusy: boolean;
}
