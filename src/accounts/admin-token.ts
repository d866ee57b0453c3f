import { join } from 'node:path';
import { readSecretFile } from '../lib/secret-file.ts';

/** The file of the admin token (D1.5) in the data folder of a service, unless one is configured. */
export const adminTokenPath = (dataDir: string): string => join(dataDir, 'admin-token');

/** The admin token in the data folder of a service on this machine, if there is one that can be read. */
export function readAdminToken(dataDir: string): string | undefined {
  try {
    return readSecretFile(adminTokenPath(dataDir));
  } catch {
    return undefined;
  }
}
