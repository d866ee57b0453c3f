import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileName = 'moved.json';

/** The service refuses to start, because its data has moved: two services would each get only some of the events. */
class DataMoved extends Error {
  override readonly name = 'DataMoved';
  readonly code = 'moved';

  constructor(path: string) {
    super(
      `The data of this folder was moved to servers: set FARTHING_CLICKHOUSE_URL and FARTHING_POSTGRES_URL. To use the folder's data again, delete ${path}.`,
    );
  }
}

/** Records that the data of a folder has moved, so that no service starts on it again. */
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
