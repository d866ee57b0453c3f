// A data folder that a newer release has upgraded: an older release must not touch it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { version } from '../../src/lib/version.ts';
import { someOf } from '../support/effort.ts';
import { freePort } from '../support/ports.ts';
import { launchService, makeMigratedDataDir, startEngine, startService } from '../support/service.ts';

const dataDir = makeMigratedDataDir();
const newer = '9.9.9';

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

function inControlStore(...statements: string[]): void {
  const database = new DatabaseSync(join(dataDir, 'control.sqlite'));
  for (const statement of statements) database.exec(statement);
  database.close();
}

async function inAnalyticStore(statement: string): Promise<void> {
  const engine = await startEngine({ dataDir, port: await freePort(), token: 'token-of-the-engine-0123456789' });
  const { username, password, origin } = new URL(engine.url);
  const answer = await fetch(origin, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${username}:${password}`)}` },
    body: statement,
  });
  expect(answer.status, await answer.text()).toBe(200);
  await engine.stop();
}

/** The message of a start that must be refused. */
async function refusal(command: 'serve' | 'migrate'): Promise<string> {
  const service = await launchService({ dataDir, command });
  const { code } = await service.exited;
  expect(code, service.output()).toBeGreaterThan(0);
  return service.output();
}

const noteNewer = `insert into releases (version, first_started_at) values ('${newer}', 4102444800000)`;
const forgetNewer = `delete from releases where version = '${newer}'`;

const stores = {
  control: {
    commands: ['serve', 'migrate'],
    upgrade: async () =>
      inControlStore(
        "insert into kysely_migration (name, timestamp) values ('9999_of_the_future', '2100-01-01T00:00:00.000Z')",
        noteNewer,
      ),
    goBack: async () => inControlStore("delete from kysely_migration where name like '9999%'", forgetNewer),
  },
  analytic: {
    commands: ['serve'],
    upgrade: async () => {
      inControlStore(noteNewer);
      await inAnalyticStore("INSERT INTO migrations (id) VALUES ('9999_of_the_future')");
    },
    goBack: async () => {
      inControlStore(forgetNewer);
      await inAnalyticStore("DELETE FROM migrations WHERE id LIKE '9999%'");
    },
  },
} as const;

// A service and a migration open both in the same way.
test.each(Object.entries(stores))(
  'D13.1: a start on a %s store of a newer release is refused; it names both releases and what is not known',
  async (_store, { commands, upgrade, goBack }) => {
    await upgrade();
    for (const command of someOf(commands, 1)) {
      const said = await refusal(command);
      expect(said).toContain(`Farthing ${newer}`);
      expect(said).toContain(`Farthing ${version}`);
      expect(said).toContain('9999_of_the_future');
      expect(said).toMatch(/restore a backup/);
      expect(said).not.toMatch(/^\s+at |"stack"/m);
    }
    await goBack();
  },
);

test('D13.1: a folder from which a refused start was turned away serves, also after a newer release that changed no schema', async () => {
  inControlStore(noteNewer);
  expect((await (await startService({ dataDir })).stop()).code).toBe(0);
  inControlStore(forgetNewer);
});
