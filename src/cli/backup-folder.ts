import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { parseJson } from '../lib/json.ts';
import { FolderFault, makeFolder } from '../lib/make-folder.ts';
import { CommandError } from './api.ts';
import { whyOf } from './files.ts';

const fileSchema = z.object({
  name: z.string().regex(/^[a-z0-9_.-]+$/),
  bytes: z.number().int(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export type BackupFile = z.output<typeof fileSchema>;

const manifestSchema = z.object({
  format: z.literal(1, { error: 'is of another version of Farthing' }),
  id: z.string(),
  version: z.string(),
  created_at: z.string(),
  control: fileSchema,
  frozen: z.object({ projects: z.array(z.string()), seals: z.array(z.tuple([z.number(), z.number()])) }),
  parts: z.array(
    z.object({
      table: z.string(),
      from: z.number().int(),
      to: z.number().int(),
      rows: z.number().int(),
      fingerprint: z.string(),
      file: fileSchema,
    }),
  ),
});

/** The manifest of a backup. It is written last: a folder without it is not a backup. */
export type Manifest = z.output<typeof manifestSchema>;

const manifestName = 'manifest.json';

/** Makes the folder of a backup, with mode 0700. @throws CommandError when it is not empty */
export function makeBackupFolder(folder: string): void {
  try {
    makeFolder(folder);
    if (readdirSync(folder).length === 0) return;
  } catch (cause) {
    throw new CommandError(
      cause instanceof FolderFault ? cause.message : `${folder} cannot be made: ${whyOf(cause)}.`,
      { cause },
    );
  }
  throw new CommandError(
    existsSync(join(folder, manifestName))
      ? `${folder} already contains a backup: use another folder.`
      : `${folder} is not empty: use another folder, or delete the files of an interrupted backup.`,
  );
}

/** Writes a stream to a new file of mode 0600, compressed, and syncs it to disk. */
export async function writeBackupFile(folder: string, name: string, content: Readable): Promise<BackupFile> {
  const handle = await open(join(folder, name), 'w', 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    await pipeline(content, createZstdCompress(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        await handle.writeFile(chunk);
      }
    });
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { name, bytes, sha256: hash.digest('hex') };
}

/** Writes the manifest atomically, which completes the backup. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, manifestName);
  const handle = await open(`${path}.new`, 'w', 0o600);
  await handle.writeFile(`${JSON.stringify(manifest, null, 1)}\n`);
  await handle.sync();
  await handle.close();
  await rename(`${path}.new`, path);
  const directory: FileHandle = await open(folder);
  await directory.sync();
  await directory.close();
}

/** The manifest of a backup. @throws CommandError when the folder is not a complete backup */
export function readManifest(folder: string): Manifest {
  let text: string;
  try {
    text = readFileSync(join(folder, manifestName), 'utf8');
  } catch (cause) {
    throw new CommandError(
      existsSync(folder)
        ? `There is no ${manifestName} in ${folder}: it is not a backup, or the backup was cut off.`
        : `There is no folder ${folder}.`,
      { cause },
    );
  }
  try {
    return manifestSchema.parse(parseJson(text));
  } catch (cause) {
    throw new CommandError(
      `The ${manifestName} in ${folder} is damaged, or of a newer version: it can't be restored.`,
      { cause },
    );
  }
}

/** Checks the checksum of a file. @throws CommandError when it differs from the manifest */
export async function checkBackupFile(folder: string, file: BackupFile): Promise<void> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(join(folder, file.name))) hash.update(chunk);
  } catch (cause) {
    throw new CommandError(`${file.name} of the backup cannot be read: ${whyOf(cause)}. Nothing was restored.`, {
      cause,
    });
  }
  if (hash.digest('hex') !== file.sha256) {
    throw new CommandError(`${file.name} of the backup is damaged: its checksum is wrong. Nothing was restored.`);
  }
}

export function openBackupFile(folder: string, { name }: BackupFile): Readable {
  const decoder = createZstdDecompress();
  const source = createReadStream(join(folder, name));
  source.on('error', (error) => decoder.destroy(error));
  return source.pipe(decoder);
}
