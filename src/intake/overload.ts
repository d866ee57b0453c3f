import { Overload, Problem } from '../lib/problem.ts';

/** So many requests may wait in any case: a few clients that wait for each answer before they send more are never refused. */
export const alwaysTakenRequests = 32;
/** Requests up to so many bytes are taken all the same: live events should not be refused because of somebody's import. */
const smallBytes = 8_192;

/** Whether a request of so many bytes may be refused because others wait. */
export const isLarge = (bytes: number): boolean => bytes > smallBytes;

const detail = 'The store cannot take more events now; nothing is lost, send them again later.';

/**
 * What is said when more is posted than can be taken. One for all: in an overload, where they come by the thousand, finding out
 * where each is thrown takes longer than the answer.
 */
export const overload = new Overload(detail);

/** What is said to whoever posts when the store fails or stops, because of the cause; it is logged. */
export const storeFailed = (cause: unknown): Problem =>
  new Problem('unavailable', detail, { headers: { 'retry-after': '1' }, cause });
