import type { FastifyRequest } from 'fastify';
import { type Actor, actingAs } from '../lib/actor.ts';
import type { App } from '../lib/http/app.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who makes the changes of this request; undefined where it can make none. */
    actor: Pick<Actor, 'kind' | 'id' | 'name'> | undefined;
  }
}

/** Does all that a request's handler does as its actor. Comes after the guard, which says who that is. */
export function nameActors(app: App): void {
  app.decorateRequest('actor', undefined);
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.actor === undefined) return done();
    actingAs({ ...request.actor, address: request.ip, request: nameOf(request) }, done);
  });
}

const nameOf = ({ method, routeOptions }: FastifyRequest): string =>
  `${method} ${routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}') ?? ''}`;
