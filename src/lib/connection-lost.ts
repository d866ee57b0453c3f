/** Codes of a server that is stopping or starting, dropped the connection, or has none left. */
const lostCodes = /^(08|57P|53300$|ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|ENOTFOUND$|EAI_AGAIN$)/;
/** pg's own errors have no code. */
const lostMessages = /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered)/;

/** Whether a statement failed because of the connection to PostgreSQL, not because of the statement. */
export function isConnectionLost(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if (cause instanceof AggregateError) return cause.errors.some(isConnectionLost);
  const { code } = cause as NodeJS.ErrnoException;
  return code === undefined ? lostMessages.test(cause.message) : lostCodes.test(code);
}
