export type DiskFault = 'full' | 'read-only' | 'failing';

const ofSystem: Readonly<Record<string, DiskFault>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'read-only',
  EIO: 'failing',
};
/** Primary result codes of SQLite: FULL, READONLY, IOERR, CANTOPEN. */
const ofSqlite: Readonly<Record<number, DiskFault>> = { 13: 'full', 8: 'read-only', 10: 'failing', 14: 'failing' };

/** The disk fault that made a statement or write fail; undefined for any other cause. A retry may succeed. */
export function findDiskFault(cause: unknown): DiskFault | undefined {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown };
    if (typeof code === 'string' && ofSystem[code]) return ofSystem[code];
    if (typeof errcode === 'number' && ofSqlite[errcode & 0xff]) return ofSqlite[errcode & 0xff];
    // ClickHouse: NOT_ENOUGH_SPACE, or the system's own message.
    if (code === '243' || /No space left on device|NOT_ENOUGH_SPACE/.test(error.message)) return 'full';
    if (/Read-only file system/.test(error.message)) return 'read-only';
  }
  return undefined;
}
