// Data folders of earlier releases, with the answers that those releases gave. Today's service must answer the same.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import { z } from 'zod';

/**
 * A folder for each release: its data folder as `data.tar.zst`, and `answers.ndjson.zst`. scripts/make-upgrade-fixture.ts
 * makes one.
 */
export const upgradesDir = fileURLToPath(new URL('../fixtures/upgrades/', import.meta.url));

const projectOfRelease = z.object({
  id: z.string(),
  type: z.enum(['revenue', 'internal']),
  api_key: z.string(),
  client_id: z.string(),
  secret: z.string(),
});
export type ProjectOfRelease = z.infer<typeof projectOfRelease>;

const header = z.object({
  /** The version of the release. */
  version: z.string(),
  admin_token: z.string(),
  projects: z.array(projectOfRelease),
});

const recordedAnswer = z.object({
  /** Empty for a question without a project. */
  project: z.string(),
  method: z.enum(['GET', 'POST']),
  path: z.string(),
  body: z.unknown().optional(),
  answer: z.unknown(),
});
export type RecordedAnswer = z.infer<typeof recordedAnswer>;

/** The first line of the answers; each further line is an answer. */
export type UpgradeHeader = z.infer<typeof header>;

export interface Upgrade extends UpgradeHeader {
  readonly answers: readonly RecordedAnswer[];
}

export const listUpgrades = (): string[] => readdirSync(upgradesDir).sort();

export function readUpgrade(name: string): Upgrade {
  const [first = '', ...lines] = zstdDecompressSync(readFileSync(join(upgradesDir, name, 'answers.ndjson.zst')))
    .toString()
    .trim()
    .split('\n');
  return { ...header.parse(JSON.parse(first)), answers: lines.map((line) => recordedAnswer.parse(JSON.parse(line))) };
}

/** Unpacks the data folder of a release into an empty folder. */
export function unpackUpgrade(name: string, dataDir: string): void {
  const input = zstdDecompressSync(readFileSync(join(upgradesDir, name, 'data.tar.zst')));
  execFileSync('tar', ['-x', '-f', '-', '-C', dataDir], { input });
}

/**
 * An answer without the fields that an upgrade may change: a cursor is opaque, and the time of a key's last use may lag by a
 * minute (D1.4).
 */
export function toComparable(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (key, value: unknown) =>
      key === 'last_used_at' || (key === 'next_cursor' && value !== null) ? `(${key})` : value,
    ),
  );
}
