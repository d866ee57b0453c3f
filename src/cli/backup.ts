import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { version } from '../lib/version.ts';
import { AdminApi, type AdminOptions, asAdminCommand, CommandError } from './api.ts';
import { type Manifest, makeBackupFolder, writeBackupFile, writeManifest } from './backup-folder.ts';
import { type BackupSource, inParallel, withBackup, withRetries } from './backup-source.ts';
import { whyOf } from './files.ts';
import { printJson, toCount } from './print.ts';
import { startBar } from './progress-bar.ts';

export function backupCommand(): Command {
  return asAdminCommand(
    new Command('backup')
      .description(
        'Back up a running service to a new folder, with every event acknowledged before the command began. ' +
          'farthing restore restores it.',
      )
      .argument('<folder>', 'a folder that is empty or does not exist')
      .action(runBackup),
    'farthing backup /backups/2026-11-21',
  );
}

async function runBackup(folder: string, options: AdminOptions): Promise<void> {
  const api = new AdminApi(options);
  const startedAt = performance.now();
  const { manifest, written } = await withBackup(api, async (source) => {
    makeBackupFolder(folder);
    const files: string[] = [];
    try {
      return { manifest: await writeBackup(folder, source, files), written: source.events };
    } catch (error) {
      for (const name of files) rmSync(join(folder, name), { force: true });
      throw error;
    }
  });
  await writeManifest(folder, manifest);
  const bytes = [manifest.control, ...manifest.parts.map(({ file }) => file)].reduce(
    (sum, file) => sum + file.bytes,
    0,
  );
  const elapsedMs = Math.round(performance.now() - startedAt);
  if (options.json) printJson({ id: manifest.id, folder, events: written, bytes, elapsed_ms: elapsedMs });
  else
    console.log(
      `${toCount(written)} events are in ${folder}: ${(bytes / 1e6).toFixed(1)} MB in ${(elapsedMs / 1_000).toFixed(1)} s.`,
    );
}

/** Writes every file and returns the manifest. Names are added to `files` before the files are written. */
async function writeBackup(folder: string, source: BackupSource, files: string[]): Promise<Manifest> {
  const write = async (name: string, open: BackupSource['control']) => {
    files.push(name);
    return await withRetries(
      async () => await writeBackupFile(folder, name, await open()),
      (error) => error instanceof CommandError || isDiskFault(error),
    ).catch((cause: unknown) => {
      throw cause instanceof CommandError
        ? cause
        : new CommandError(`${name} could not be written: ${whyOf(cause)}.`, { cause });
    });
  };
  const control = await write('control.ndjson.zst', source.control);
  const parts: Manifest['parts'] = [];
  const bar = startBar(
    source.events,
    'Interrupted: the folder is no backup. Delete its files, or name another folder, and run the command again.',
    '{bar} {percentage}% | {value} of {total} events | {eta_formatted} left',
  );
  try {
    await inParallel(source.parts, async (part, index) => {
      const name = `${String(index).padStart(6, '0')}-${part.table}.native.zst`;
      parts[index] = { ...part, file: await write(name, () => source.part(index)) };
      if (part.table === 'events') bar.advance(part.rows);
    });
  } finally {
    bar.stop();
  }
  return {
    format: 1,
    id: source.id,
    version,
    created_at: source.createdAt,
    control,
    frozen: {
      projects: [...source.frozen.projects],
      seals: source.frozen.seals.map(([day, seal]): [number, number] => [day, seal]),
    },
    parts,
  };
}

const isDiskFault = (error: unknown): boolean =>
  ['ENOSPC', 'EACCES', 'EROFS', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
