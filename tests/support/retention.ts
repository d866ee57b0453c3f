// Sets the retention of a project so that a given day is the first kept one, and waits for it.
import { expectStatus, type Json, type Project } from './client.ts';
import { untilDayLasts } from './midnight.ts';
import { backgroundWithin, poll } from './poll.ts';

const dayMs = 86_400_000;

/**
 * Keeps the days from `keptFrom` on, in the project's timezone, and waits until older days are frozen. Then it keeps
 * one more day, so that no midnight freezes another one during the test.
 */
export async function freezeBefore({ farthing, adminPath }: Project, keptFrom: string): Promise<void> {
  const { timezone } = Object(expectStatus(await farthing.admin('GET', `${adminPath}/`), 200));
  const today = await untilDayLasts(String(timezone));
  const days = Math.round((Date.parse(today) - Date.parse(keptFrom)) / dayMs);
  const keep = async (retentionDays: number) =>
    expectStatus(await farthing.admin('PATCH', `${adminPath}/`, { retention_days: retentionDays }), 200);
  await keep(days);
  await poll(`the days before ${keptFrom} are frozen`, { within: backgroundWithin, every: 250 }, async () => {
    const project = Object(expectStatus(await farthing.admin('GET', `${adminPath}/`), 200));
    return project.kept_from >= keptFrom ? true : undefined;
  });
  await keep(days + 1);
}

/** The ids of the events in the log. */
export async function idsInLog(project: Project): Promise<string[]> {
  const { rows } = expectStatus(await project.api('GET', '/api/events/?limit=1000'), 200) as {
    rows: { event: Json }[];
  };
  return rows.map(({ event }) => String(event.event_id));
}

/** Waits until the log holds exactly these events. */
export async function untilInLog(project: Project, ids: readonly string[]): Promise<void> {
  const wanted = JSON.stringify([...ids].sort());
  await poll(`only ${wanted} is in the log`, { within: backgroundWithin, every: 2_000 }, async () =>
    JSON.stringify((await idsInLog(project)).sort()) === wanted ? true : undefined,
  );
}
