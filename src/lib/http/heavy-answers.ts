import { askingAs } from '../asker.ts';
import { inHeavyTurn } from '../heavy-work.ts';
import { NeedsHeavyTurn } from '../problem.ts';
import type { App } from './app.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** An answer, or a page of it, has read more than a light one may. */
    readsMuch: boolean;
  }
}

/**
 * Wraps every route that reads calls and is registered after this. It answers as light work first. An answer that would
 * read much is worked out again in a heavy turn, so a project holds the rows of one such answer at a time. Comes before
 * what calls handlers for several pages, so that each page takes a turn.
 */
export function giveHeavyTurns(app: App): void {
  app.decorateRequest('readsMuch', false);
  app.addHook('onRoute', (route) => {
    const { handler, config } = route;
    if (!config?.readsCalls || config.access !== 'read') return;
    route.handler = async function answer(request, reply) {
      const work = async () => await handler.call(this, request, reply);
      if (request.readsMuch) return await inHeavyTurn(work);
      try {
        return await askingAs({ weight: 'light' }, work);
      } catch (error) {
        if (!(error instanceof NeedsHeavyTurn)) throw error;
        request.readsMuch = true;
        return await inHeavyTurn(work);
      }
    };
  });
}
