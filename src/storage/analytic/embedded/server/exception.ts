import type { BrokenPart } from './messages.ts';

/** An error as a ClickHouse server reports it: a code, its name and a message. */
export class EngineException extends Error {
  readonly code: number;
  readonly codeName: string;

  constructor(code: number, codeName: string, message: string) {
    super(message);
    this.code = code;
    this.codeName = codeName;
  }

  /** The text that clients turn into their typed error. */
  toResponseText(): string {
    return `Code: ${this.code}. DB::Exception: ${this.message} (${this.codeName})`;
  }
}

// The codes that this process raises itself; all others come from the engine.
export const badRequest = (message: string) => new EngineException(36, 'BAD_ARGUMENTS', message);
export const notSupported = (message: string) => new EngineException(48, 'NOT_IMPLEMENTED', message);
export const cannotParse = (message: string) => new EngineException(6, 'CANNOT_PARSE_TEXT', message);
export const queryTooLarge = (message: string) => new EngineException(308, 'QUERY_IS_TOO_LARGE', message);
export const tooManyQueries = (message: string) => new EngineException(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', message);
export const queryIdInUse = (message: string) =>
  new EngineException(216, 'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING', message);
export const noSpace = (message: string) => new EngineException(243, 'NOT_ENOUGH_SPACE', message);
export const passwordRequired = () => new EngineException(194, 'REQUIRED_PASSWORD', 'A password is required');
export const authenticationFailed = () =>
  new EngineException(516, 'AUTHENTICATION_FAILED', 'Authentication failed: wrong user name or password');
export const shuttingDown = () => new EngineException(236, 'ABORTED', 'The engine is shutting down');

const NATIVE_ERROR = /Code: (\d+)\. DB::Exception: ([\s\S]*?)\s*\(([A-Z][A-Z0-9_]+)\)\s*$/;

/** Reads an error thrown by the engine's addon; anything unknown becomes UNKNOWN_EXCEPTION with its message. */
export function toException(error: unknown): EngineException {
  if (error instanceof EngineException) return error;
  const message = error instanceof Error ? error.message : String(error);
  const [, code, text, name] = NATIVE_ERROR.exec(message) ?? [];
  if (code === undefined || text === undefined || name === undefined) {
    return new EngineException(1002, 'UNKNOWN_EXCEPTION', message);
  }
  return new EngineException(Number(code), name, text);
}

/** Codes for data that is truncated, changed or missing. */
const BROKEN_CODES: ReadonlySet<number> = new Set([32, 33, 40, 76, 107, 117, 226, 246, 271, 432]);
const BROKEN_PART = /while reading from part \S*\/([^/\s]+)\/ in table ([^\s.]+)\.([^\s.]+) /;

/** The broken part that a query could not read, if the error names one. */
export function findBrokenPart({ code, message }: EngineException): BrokenPart | undefined {
  if (!BROKEN_CODES.has(code)) return undefined;
  const [, name, database, table] = BROKEN_PART.exec(message) ?? [];
  return name === undefined || database === undefined || table === undefined ? undefined : { database, table, name };
}

const STATUS_BY_CODE: ReadonlyMap<number, number> = new Map([
  // Invalid requests.
  ...[6, 25, 26, 27, 36, 38, 41, 53, 62, 72, 117, 167, 168, 321, 376, 441, 442, 457].map(
    (code) => [code, 400] as const,
  ),
  // Unknown names.
  ...[46, 47, 50, 56, 60, 63, 73, 81, 115].map((code) => [code, 404] as const),
  [48, 501],
  [159, 408],
  [194, 401],
  [202, 503],
  [236, 503],
  [308, 413],
  [516, 403],
]);

/** The HTTP status that a ClickHouse server returns with a code. */
export function httpStatusOf(exception: EngineException): number {
  return STATUS_BY_CODE.get(exception.code) ?? 500;
}
