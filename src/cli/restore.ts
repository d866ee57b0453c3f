import { readdirSync } from 'node:fs';
import { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { createCommandLogger } from '../lib/logger.ts';
import { makePrivateFolder } from '../lib/make-folder.ts';
import { beginCopy, CopyRefused, completeCopy, copyPart, releaseCopy } from '../server/backup/copy-in.ts';
import { openStores } from '../server/stores.ts';
import { CommandError, toCommandError } from './api.ts';
import { checkBackupFile, openBackupFile, readManifest } from './backup-folder.ts';
import { readControlLines } from './backup-source.ts';
import { printJson, toCount } from './print.ts';
import { startBar } from './progress-bar.ts';

export function restoreCommand(): Command {
  return new Command('restore')
    .description(
      'Restore a backup into an empty data folder, or into the empty servers of FARTHING_CLICKHOUSE_URL and FARTHING_POSTGRES_URL. ' +
        'Then start the service: it assembles all calls from the events.',
    )
    .argument('<folder>', 'the backup')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  FARTHING_DATA_DIR=/var/lib/farthing farthing restore /backups/2026-11-21')
    .action(runRestore);
}

async function runRestore(folder: string, { json }: { readonly json?: boolean }): Promise<void> {
  const config = readConfig();
  const startedAt = performance.now();
  const manifest = readManifest(folder);
  const { control, parts, frozen } = manifest;
  const bytes = [control, ...parts.map(({ file }) => file)].reduce((sum, file) => sum + file.bytes, 0);
  requireEmptyFolder(config);

  // All files are checked before anything is written.
  const bar = startBar(
    2 * bytes,
    'Interrupted. Empty the data folder before you restore again; the service does not start on it.',
  );
  try {
    for (const file of [control, ...parts.map((part) => part.file)]) {
      await checkBackupFile(folder, file);
      bar.advance(file.bytes);
    }
    const stores = await openStores(config, createCommandLogger()).catch(toCommandError('The stores cannot be opened'));
    try {
      await beginCopy(stores, manifest.id);
      for (const part of parts) {
        await copyPart(stores, part, frozen, async () => openBackupFile(folder, part.file));
        bar.advance(part.file.bytes);
      }
      await completeCopy(stores, { parts, frozen }, readControlLines(openBackupFile(folder, control)), {
        command: 'restore',
        backup: manifest.id,
      });
      await releaseCopy(stores);
    } finally {
      await stores.close();
    }
  } catch (error) {
    if (error instanceof CopyRefused) throw new CommandError(error.message, { cause: error });
    toCommandError('The restore was cut off')(error);
  } finally {
    bar.stop();
  }
  const events = parts.reduce((sum, { table, rows }) => sum + (table === 'events' ? rows : 0), 0);
  const elapsedMs = Math.round(performance.now() - startedAt);
  if (json) printJson({ id: manifest.id, created_at: manifest.created_at, events, bytes, elapsed_ms: elapsedMs });
  else
    console.log(
      `${toCount(events)} events from the backup of ${manifest.created_at} are restored in ${(elapsedMs / 1_000).toFixed(1)} s. Start the service: it assembles their calls, then answers.`,
    );
}

/** Files that a data folder may contain before a restore. */
const besideServers = new Set(['admin-token', 'first-start.txt']);

function requireEmptyFolder({ dataDir, clickhouseUrl, postgresUrl }: Config): void {
  const isEmbedded = clickhouseUrl === undefined || postgresUrl === undefined;
  let found: string[] = [];
  try {
    makePrivateFolder(dataDir);
    found = readdirSync(dataDir).filter((name) => isEmbedded && !besideServers.has(name));
  } catch (error) {
    toCommandError(`The data folder ${dataDir} cannot be used`)(error);
  }
  if (found.length === 0) return;
  throw new CommandError(
    `The data folder ${dataDir} is not empty: empty it, or set FARTHING_DATA_DIR to another one. Nothing was restored.`,
  );
}
