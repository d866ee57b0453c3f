import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DashboardFiles } from '../lib/http/dashboard.ts';

const built = fileURLToPath(new URL('../../dashboard/dist', import.meta.url));

/** The files of the dashboard, as an install or a release has built them. @throws Error where there are none */
export async function openDashboardFiles(): Promise<DashboardFiles> {
  const entries = await readdir(built, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      paths.map(async (path) => [relative(built, path).replaceAll('\\', '/'), await readFile(path)] as const),
    ),
  );
}
