/** Done by the holder of the lease between two batches of assembly: a step takes a fraction of a second. */
export interface BackgroundJob {
  /** Its name in logs and in the metric of its duration. */
  readonly name: string;
  /** Whether it pauses during a backup, because it deletes or freezes data that the backup may still read. */
  readonly restsDuringBackup: boolean;
  /** Works for a moment; true when there is more to do at once. @throws LeaseLost */
  step(state: JobState): Promise<boolean>;
}

export interface JobState {
  /** Whether something more urgent waits: events to assemble, or another job that was asked for. */
  readonly isBusy: boolean;
}
