import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSecret } from '../lib/ids.ts';
import { writeSecretFile } from '../lib/secret-file.ts';

/** The admin token (D1.5): the configured one, the one in the data folder, or a new one stored there with mode 0600. */
export function openAdminToken(
  dataDir: string,
  configured: string | undefined,
): { readonly token: string; readonly path: string | undefined } {
  if (configured !== undefined) return { token: configured, path: undefined };
  const path = adminTokenPath(dataDir);
  const kept = readAdminToken(dataDir);
  if (kept) return { token: kept, path };
  const token = newSecret('fa');
  writeSecretFile(path, `${token}\n`);
  return { token, path };
}

const adminTokenPath = (dataDir: string): string => join(dataDir, 'admin-token');

/** The admin token in the data folder of a service on this machine, if there is one. */
export function readAdminToken(dataDir: string): string | undefined {
  try {
    return readFileSync(adminTokenPath(dataDir), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
