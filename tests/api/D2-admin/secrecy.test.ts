import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { poll } from '../../support/poll.ts';

const farthing = sharedFarthing();

test('D1.4: keys and secrets are not on the disk in plain text', async () => {
  const project = await farthing.createProject({ name: `on the disk ${crypto.randomUUID()}` });
  expect((await project.api('GET', '/api/project/')).status).toBe(200);
  const directories = inject('dataDirs');
  // The engine can merge folders away while they are listed; then the listing is retried.
  const files = await poll('the data folders can be listed', { within: 60_000, every: 10 }, () => {
    try {
      return directories
        .flatMap((directory) => readdirSync(directory, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile());
    } catch {
      return undefined;
    }
  });
  expect(files.length).toBeGreaterThan(0);
  const holders = (text: string) =>
    files.filter((file) => {
      try {
        return readFileSync(join(file.parentPath, file.name)).includes(text);
      } catch {
        // The engine can merge a part away during the test.
        return false;
      }
    });
  // A control: the project's name is stored in plain text, so it must be found in SQLite's files.
  if (inject('stores') === 'sqlite') expect(holders(project.record.name)).not.toEqual([]);
  for (const secret of [project.apiKey, project.secret]) expect(holders(secret)).toEqual([]);
});
