import type { FastifyRequest } from 'fastify';

/** Whether the sender reads gzip. */
export const takesGzip = (request: FastifyRequest): boolean =>
  /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
