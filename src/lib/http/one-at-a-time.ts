import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import type { App } from './app.ts';

/** How many requests of a connection may wait for the answers before theirs; one more cuts the connection off. */
const mostWaiting = 100;

/** The requests of a connection. */
interface Queue {
  isAnswering: boolean;
  readonly waiting: (() => void)[];
}

/**
 * Handles pipelined requests one after the other: handled at once, their answers would all wait in memory for the
 * client. Comes before every other hook, so that a request that waits costs nothing yet.
 */
export function handleOneAtATime(app: App): void {
  // Kept for as long as the connection: an entry for each request would cost most of what this does.
  const queues = new WeakMap<Socket, Queue>();
  const begin = (queue: Queue, socket: Socket, { raw }: FastifyReply, next: () => void): void => {
    queue.isAnswering = true;
    raw.once('close', () => {
      queue.isAnswering = false;
      const waiting = queue.waiting.shift();
      if (!socket.destroyed) waiting?.();
    });
    next();
  };
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    let queue = queues.get(socket);
    if (queue === undefined) {
      queue = { isAnswering: false, waiting: [] };
      queues.set(socket, queue);
    }
    const { isAnswering, waiting } = queue;
    if (!isAnswering) begin(queue, socket, reply, done);
    else if (waiting.length < mostWaiting) waiting.push(() => begin(queue, socket, reply, done));
    else socket.destroy();
  });
}
