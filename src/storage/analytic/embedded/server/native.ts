import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * chDB's addon, used without the Session class around it. Session.close() waits for every operation of the process, not
 * only for its own. So during one slow query, thousands of closed sessions pile up (2 GB in 8 seconds). Connections are
 * independent in the engine, so each is closed as soon as its own query is done.
 */
export interface NativeAddon {
  CreateConnection(path: string, settings: readonly string[]): unknown;
  CloseConnection(connection: unknown): void;
  QueryWithConnection(connection: unknown, sql: string, format: string): string;
  QueryAsyncConnection(connection: unknown, sql: string, format: string): Promise<NativeResult>;
}

export interface NativeResult {
  readonly bytes: Uint8Array;
  readonly rowsRead: number;
  readonly bytesRead: number;
}

const USED_FUNCTIONS = ['CreateConnection', 'CloseConnection', 'QueryWithConnection', 'QueryAsyncConnection'] as const;

/**
 * Loads the addon for this platform.
 * @throws Error when the installed version lacks functions that this code needs
 */
export function loadNativeAddon(): NativeAddon {
  const require = createRequire(import.meta.url);
  const loader: unknown = require(join(dirname(require.resolve('chdb')), 'dist', 'loader.js'));
  if (!hasFunctions(loader, ['loadNative'])) throw new Error('the installed chdb has no loader');
  const addon = loader.loadNative();
  if (!isNativeAddon(addon)) throw new Error('the installed chdb lacks functions that the embedded engine needs');
  return addon;
}

function isNativeAddon(value: unknown): value is NativeAddon {
  return hasFunctions(value, USED_FUNCTIONS);
}

function hasFunctions<Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Record<Name, (...args: unknown[]) => unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}
