import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../lib/logger.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { BrokenPart, EmbeddedEngine } from '../../storage/analytic/embedded/engine.ts';
import { projectTables } from '../../storage/analytic/project-tables.ts';

/** The time limit for checking a part, in milliseconds. It is long, because the check reads the whole part. */
const checkWithinMs = 600_000;
/** In milliseconds: the engine tells the name of a broken part on another channel than the error. */
const tellWithinMs = 200;

/** Checks a part that could not be read. If it is broken, the engine sets it aside. */
export async function detachIfBroken(
  store: Pick<AnalyticStore, 'select' | 'commandOnce'>,
  part: BrokenPart,
  logger: Logger,
): Promise<void> {
  const { table, name } = part;
  // The check fails if a merge has replaced the part. Then there is nothing to do.
  const checked = await store
    .select<{ is_passed: number }>(`CHECK TABLE ${nameOf(table)} PART ${textOf(name)}`, {}, checkWithinMs)
    .catch(() => []);
  const isBroken = checked.some((result) => Number(result.is_passed) === 0);
  if (isBroken) await store.commandOnce(`ALTER TABLE ${nameOf(table)} DETACH PART ${textOf(name)}`);
  logger.warn({ part, isBroken }, isBroken ? 'a broken part was set aside' : 'a part that could not be read is intact');
}

/** Runs an action that reads tables, and again for each broken part, which the engine sets aside. */
export async function withoutBroken<T>(
  engine: EmbeddedEngine | undefined,
  store: Pick<AnalyticStore, 'select' | 'commandOnce'>,
  logger: Logger,
  action: () => Promise<T>,
): Promise<T> {
  const broken = new Map<string, BrokenPart>();
  const done = new Set<string>();
  engine?.onLoss((part) => part && broken.set(`${part.table} ${part.name}`, part));
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (engine) await sleep(tellWithinMs);
      const found = [...broken].filter(([key]) => !done.has(key));
      if (found.length === 0) throw error;
      for (const [key, part] of found) {
        await detachIfBroken(store, part, logger);
        done.add(key);
      }
    }
  }
}

/** Deletes a part that was set aside. */
export async function dropDetached(
  store: Pick<AnalyticStore, 'command'>,
  { table, name }: Pick<BrokenPart, 'table' | 'name'>,
): Promise<void> {
  await store.command(
    `ALTER TABLE ${nameOf(table)} DROP DETACHED PART ${textOf(name)} SETTINGS allow_drop_detached = 1`,
  );
}

/** The checked name of a table. Names come from the engine and can't be parameters in these statements. */
function nameOf(table: string): string {
  const known = [...projectTables, 'migrations'].find((name) => name === table);
  if (known === undefined) throw new Error(`There is no table ${table}`);
  return known;
}

function textOf(name: string): string {
  if (!/^[\w-]+$/.test(name)) throw new Error(`A part cannot be named ${name}`);
  return `'${name}'`;
}
