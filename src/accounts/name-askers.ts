import type { FastifyReply } from 'fastify';
import { type Asker, askingFor, currentAsker } from '../lib/asker.ts';
import type { App } from '../lib/http/app.ts';

/** Names the project of each request as the asker of all that its handler does. Comes after the guard. */
export function nameAskers(app: App): void {
  app.addHook('preHandler', (request, reply, done) => {
    if (request.project === undefined) return done();
    askingFor(new RequestAsker(request.project.id, reply), done);
  });
}

class RequestAsker implements Asker {
  readonly lane: string;
  readonly #reply: FastifyReply;
  /** Whoever asks through this request, such as an assistant's question, which asks further ones of the service. */
  readonly #outer = currentAsker();
  #left: AbortSignal | undefined;

  constructor(lane: string, reply: FastifyReply) {
    this.lane = lane;
    this.#reply = reply;
  }

  /** Made when it is first needed, because most requests have no statement. */
  get left(): AbortSignal {
    this.#left ??= this.#outer?.left ?? this.#whenClosed();
    return this.#left;
  }

  #whenClosed(): AbortSignal {
    const { raw } = this.#reply;
    const controller = new AbortController();
    const leave = () => {
      if (!raw.writableFinished) controller.abort();
    };
    if (raw.destroyed) leave();
    else raw.once('close', leave);
    return controller.signal;
  }
}
