import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { currentAsker } from '../asker.ts';
import { isConnectionLost } from '../connection-lost.ts';
import { findDiskFault } from '../disk-fault.ts';
import { Overload, Problem } from '../problem.ts';
import { problemTable } from './problem-table.ts';
import type { RefusalLog } from './refusal-log.ts';

export const problemMediaType = 'application/problem+json; charset=utf-8';

/** Fastify's own refusals as problems. An error that is not listed here is a fault of the service: a 500. */
function ofFastify(error: FastifyError): Problem | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem(
        'unsupported_media_type',
        'Send the body as JSON, with the header Content-Type: application/json.',
      );
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('payload_too_large', 'The body is larger than this route accepts; send it in smaller parts.');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new Problem('invalid_json', 'The body is empty; send a JSON object.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('invalid_body', 'The body is not as long as Content-Length says.');
    default:
      return error.statusCode === 429
        ? new Problem(
            'rate_limited',
            'This client posts too often; wait for the time that Retry-After gives in seconds.',
          )
        : undefined;
  }
}

/** Any error as the problem that the caller sees. An unexpected error does not reveal its cause; the log has it. */
export function toProblem(error: unknown, log: FastifyBaseLogger, refusals: RefusalLog): Problem {
  if (error instanceof Problem) {
    if (error instanceof Overload) refusals.note();
    // Nobody waits any more for what ended because its asker left.
    else if (problemTable[error.code].status >= 500 && !currentAsker()?.left?.aborted)
      log.warn({ err: error }, error.message);
    return error;
  }
  const known = ofFastify(error as FastifyError);
  if (known) return known;
  if (isConnectionLost(error)) {
    log.warn({ err: error }, 'the control store could not be reached');
    return new Problem('unavailable', 'The service has lost a store for a moment; ask again.', {
      headers: { 'retry-after': '2' },
      cause: error,
    });
  }
  const fault = findDiskFault(error);
  if (fault) {
    log.error({ err: error, disk: fault }, 'a request failed because of the disk');
    return new Problem('unavailable', `The disk of the service is ${fault}; nothing has changed, ask again later.`, {
      headers: { 'retry-after': '5' },
      cause: error,
    });
  }
  log.error({ err: error }, 'request failed');
  return internalFault();
}

/** The problem that a caller gets for an unexpected error. */
export const internalFault = (): Problem =>
  new Problem('internal', 'This is a fault of the service. Its log has the cause under the request_id.');

/** The longest pointer, message and detail, in characters: they may repeat names of the request. */
const [maxPointer, maxMessage, maxDetail] = [300, 500, 2_000];

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;

/** The body of a problem (RFC 9457, D11.1). Long names in it are cut, so that it is not longer than what it refuses. */
export function describeProblem({ code, detail, errors, members }: Problem, requestId: string) {
  const { status, title } = problemTable[code];
  return {
    type: 'about:blank',
    title,
    status,
    detail: cut(detail, maxDetail),
    code,
    request_id: requestId,
    ...(errors && {
      errors: errors.map(({ pointer, code: fault, message }) => ({
        pointer: cut(pointer, maxPointer),
        code: fault,
        message: cut(message, maxMessage),
      })),
    }),
    ...members,
  };
}

/** Answers with a problem (RFC 9457, D11.1). */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const { status } = problemTable[problem.code];
  const body = describeProblem(problem, request.id);
  // A 404 is true as of an instant, so it keeps the header. Other refusals depend on no instant.
  if (problem.code !== 'not_found') reply.removeHeader('farthing-as-of');
  return reply.code(status).headers(problem.headers).type(problemMediaType).serializer(JSON.stringify).send(body);
}
