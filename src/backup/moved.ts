import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileName = 'moved.json';

/** A start refused because what is in the data folder has moved: two services would each take a part of the events. */
class DataMoved extends Error {
  override readonly name = 'DataMoved';
  readonly code = 'moved';

  constructor(path: string) {
    super(
      `What was in this data folder was moved to servers: set FARTHING_CLICKHOUSE_URL and FARTHING_POSTGRES_URL. To go back to what the folder has, delete ${path}.`,
    );
  }
}

/** Notes that the data of a folder has moved, so that no service starts on what is left of it. */
export function noteMoved(dataDir: string, at: number): void {
  writeFileSync(join(dataDir, fileName), `${JSON.stringify({ moved_at: new Date(at).toISOString() })}\n`, {
    mode: 0o600,
  });
}

/** @throws Error when the data of the folder has moved */
export function refuseMoved(dataDir: string): void {
  const path = join(dataDir, fileName);
  if (existsSync(path)) throw new DataMoved(path);
}
