// D1.6: a first start that is killed.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { expectStatus, send } from '../support/client.ts';
import { someOf } from '../support/effort.ts';
import { poll } from '../support/poll.ts';
import { launchService, makeDataDir, type Service, startService } from '../support/service.ts';

const noteIn = (dataDir: string) => join(dataDir, 'first-start.txt');

async function listProjects({ url, adminToken }: Service): Promise<string[]> {
  const answer = await send('GET', `${url}/admin/projects/`, { token: adminToken });
  return Object(expectStatus(answer, 200)).projects.map(({ name }: { name: string }) => name);
}

/** What the note's key and secret open. */
async function tryNote({ url }: Service, dataDir: string): Promise<{ project: number; intake: number }> {
  const note = readFileSync(noteIn(dataDir), 'utf8');
  const [apiKey] = note.match(/fk_[0-9A-Za-z]+/) ?? [];
  const [secret] = note.match(/fs_[0-9A-Za-z]+/) ?? [];
  const [clientId] = note.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) ?? [];
  const project = await send('GET', `${url}/api/project/`, { token: apiKey });
  const event = { event_id: crypto.randomUUID(), event_type: 'x.after' };
  const intake = await send('POST', `${url}/intake/${clientId}/`, { token: secret, body: event });
  return { project: project.status, intake: intake.status };
}

// While the schema is made, while the project is, and while it is committed and not yet told.
test.each(someOf([0, 60, 250], 2))(
  'D1.6: a first start killed %i ms after its project began to be made is whole and noted, or done again',
  async (afterMs) => {
    const dataDir = makeDataDir();
    const killed = await launchService({ dataDir });
    await poll('the project is about to be made', { within: 60_000, every: 1 }, () => {
      const begun =
        existsSync(join(dataDir, 'control.sqlite-wal')) && statSync(join(dataDir, 'control.sqlite-wal')).size > 100_000;
      return begun ? true : undefined;
    });
    await sleep(afterMs);
    await killed.kill();
    const service = await startService({ dataDir, logLevel: 'info' });
    expect(await listProjects(service)).toEqual(['default']);
    expect(await tryNote(service, dataDir)).toEqual({ project: 200, intake: 200 });
    expect(service.output()).toContain(noteIn(dataDir));
    expect(readdirSync(dataDir).filter((name) => /\.(part|new)$/.test(name))).toEqual([]);
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  },
);
