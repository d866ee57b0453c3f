import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import type { App } from './app.ts';

/** How many requests of a connection may wait for the answers before theirs; one more cuts the connection off. */
const mostWaiting = 100;

/**
 * Handles the requests of a connection one after the other, as their answers are sent. A client may send requests without
 * waiting for answers (pipelining): handled at once, their answers would all be held in memory until the client reads.
 * Comes before every other hook, so that a request that waits costs nothing yet.
 */
export function handleOneAtATime(app: App): void {
  /** The requests that wait, by connections that are answering one. */
  const answering = new WeakMap<Socket, (() => void)[]>();
  const begin = (socket: Socket, { raw }: FastifyReply, next: () => void): void => {
    raw.once('close', () => {
      const waiting = answering.get(socket)?.shift();
      if (waiting === undefined) answering.delete(socket);
      else if (!socket.destroyed) waiting();
    });
    next();
  };
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    const waiting = answering.get(socket);
    if (waiting === undefined) {
      answering.set(socket, []);
      begin(socket, reply, done);
    } else if (waiting.length < mostWaiting) {
      waiting.push(() => begin(socket, reply, done));
    } else {
      socket.destroy();
    }
  });
}
