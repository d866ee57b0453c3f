import type { FastifyReply, FastifyRequest } from 'fastify';

/** The progress of assembly, as far as an answer needs it. */
interface Freshness {
  /** Returns the instant up to which an answer is complete, in milliseconds since 1970. */
  waitFor(projectId: string, consistency: 'strict' | 'relaxed'): Promise<number>;
}

/**
 * Waits until the calls include every event of the project that this instance has acknowledged, and sets
 * `Farthing-As-Of`: the instant up to which everything acknowledged is in the answer. With
 * `Farthing-Consistency: relaxed` it does not wait for the events of the last second (D4.7).
 */
export async function awaitConsistency(
  request: FastifyRequest,
  reply: FastifyReply,
  progress: Freshness,
  projectId: string,
): Promise<void> {
  // The first page of an answer in a format has waited, or the answer before it got a heavy turn.
  if (reply.hasHeader('farthing-as-of')) return;
  const isRelaxed = request.headers['farthing-consistency'] === 'relaxed';
  const asOf = await progress.waitFor(projectId, isRelaxed ? 'relaxed' : 'strict');
  reply.header('farthing-as-of', new Date(asOf).toISOString());
}
