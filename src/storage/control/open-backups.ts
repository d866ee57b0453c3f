import type { ControlQueries } from './control-store.ts';

/** Whether a backup is open. Code that deletes rows checks this first and waits. */
export async function isBackupUnderWay(control: ControlQueries, now: number): Promise<boolean> {
  const row = await control
    .selectFrom('backups')
    .select('id')
    .where('expires_at', '>', now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
