import { Overload, Problem } from '../../lib/problem.ts';

/** This many requests may always wait, so that a few clients that send one request at a time are never refused. */
export const alwaysTakenRequests = 32;
/** Bytes of requests accepted despite a backlog: an import must not cause live events to be refused. */
const smallBytes = 8_192;

/** Whether a request of this many bytes may be refused because of a backlog. */
export const isLarge = (bytes: number): boolean => bytes > smallBytes;

const detail = 'The store cannot take more events now; nothing is lost, send them again later.';

/** One object for all: to capture a stack trace for each of thousands takes longer than the answer. */
export const overload = new Overload(detail);

/** The refusal of requests when the store fails or stops. The cause is logged. */
export const storeFailed = (cause: unknown): Problem =>
  new Problem('unavailable', detail, { headers: { 'retry-after': '1' }, cause });
