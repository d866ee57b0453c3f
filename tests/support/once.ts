import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backgroundWithin, poll } from './poll.ts';

/** Makes a thing when it is first asked for. The tests of a table share it, in whatever order they run. */
export function once<Thing>(make: () => Promise<Thing>): () => Promise<Thing> {
  let made: Promise<Thing> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Makes a thing that is JSON once for all workers of a run: the others wait for the one that began. */
export async function onceARun<Thing>(name: string, make: () => Promise<Thing>): Promise<Thing> {
  const place = join(process.env.TEST_RUN_DIR ?? '', name);
  return await poll(`${name} is made`, { within: backgroundWithin }, async () => {
    if (existsSync(`${place}.json`)) return JSON.parse(readFileSync(`${place}.json`, 'utf8')) as Thing;
    try {
      mkdirSync(place);
    } catch {
      return undefined;
    }
    try {
      const made = await make();
      writeFileSync(`${place}.part`, JSON.stringify(made));
      renameSync(`${place}.part`, `${place}.json`);
      return made;
    } catch (error) {
      rmdirSync(place);
      throw error;
    }
  });
}
