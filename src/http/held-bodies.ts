import type { FastifyRequest } from 'fastify';
import { Overload } from '../lib/problem.ts';
import type { App } from './app.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** For routes with a parser of their own: counts the bytes of a body that it holds. */
    holdBytes: HoldBytes;
  }
  interface FastifyRequest {
    /** Bytes of the body that are held until the request is answered. */
    heldBytes: number;
  }
}

/** Counts further bytes of a request's body. @throws Overload when there is no room for them */
export type HoldBytes = (request: FastifyRequest, bytes: number) => void;

/**
 * Bounds the memory that the bodies of all requests take together (D3.7): many slow requests could take all of it. Each
 * route bounds a single body.
 */
export function boundHeldBodies(app: App, mostBytes: number): HoldBytes {
  let held = 0;
  app.decorateRequest('heldBytes', 0);
  app.addHook('preParsing', (request, reply, payload, done) => {
    // `close` comes also when the sender leaves before the answer.
    reply.raw.once('close', () => {
      held -= request.heldBytes;
      request.heldBytes = 0;
    });
    done(null, payload);
  });
  return (request, bytes) => {
    if (held > request.heldBytes && held + bytes > mostBytes) {
      throw new Overload('Too much is being sent at once; send this again later.');
    }
    held += bytes;
    request.heldBytes += bytes;
  };
}
