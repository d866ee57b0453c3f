import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemTable } from '../../lib/http/problem-table.ts';
import type { Problem, ProblemCode } from '../../lib/problem.ts';
import { type Encoding, encodeStatus, mediaTypes } from './otlp/encode.ts';

/** The codes of `google.rpc.Code`. Source: https://github.com/googleapis/googleapis, google/rpc/code.proto. */
const codes: Readonly<Partial<Record<ProblemCode, number>>> = {
  unauthenticated: 16,
  forbidden: 7,
  not_found: 5,
  payload_too_large: 8,
  rate_limited: 8,
  internal: 13,
  unavailable: 14,
};
const invalidArgument = 3;

/** The encoding of the answer: that of the request, or JSON if the request's is not one of OTLP's. */
export const encodingOf = ({ headers }: Pick<FastifyRequest, 'headers'>): Encoding =>
  /^application\/(?:x-)?protobuf\b/i.test(headers['content-type'] ?? '') ? 'protobuf' : 'json';

/** Answers with a problem in OTLP's form: `google.rpc.Status` in the request's encoding. */
export function sendStatus(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const encoding = encodingOf(request);
  const { status } = problemTable[problem.code];
  const faults = (problem.errors ?? []).slice(0, 10).map(({ pointer, message }) => ` ${pointer} ${message}.`);
  const message = `${problem.detail}${faults.join('')}${status >= 500 ? ` (request ${request.id})` : ''}`;
  return reply
    .code(status)
    .headers(problem.headers)
    .type(mediaTypes[encoding])
    .send(encodeStatus(encoding, codes[problem.code] ?? invalidArgument, message));
}
