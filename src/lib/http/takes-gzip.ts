import type { FastifyRequest } from 'fastify';

/** Whether the client accepts gzip. */
export const takesGzip = (request: FastifyRequest): boolean =>
  /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
