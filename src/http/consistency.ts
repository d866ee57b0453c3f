import type { FastifyReply, FastifyRequest } from 'fastify';

/** Says how far acknowledged events are in the calls: the progress of assembly. */
interface Freshness {
  /** Waits until an answer is as fresh as asked, and gives the instant up to which it is whole, in milliseconds since 1970. */
  waitFor(projectId: string, consistency: 'strict' | 'relaxed'): Promise<number>;
}

/**
 * Waits until the answer includes what this instance acknowledged before, and says in `Farthing-As-Of` up to which instant
 * everything acknowledged is in it. With `Farthing-Consistency: relaxed` it does not wait (D4.7).
 */
export async function awaitConsistency(
  request: FastifyRequest,
  reply: FastifyReply,
  progress: Freshness,
  projectId: string,
): Promise<void> {
  const relaxed = String(request.headers['farthing-consistency'] ?? '').toLowerCase() === 'relaxed';
  const asOf = await progress.waitFor(projectId, relaxed ? 'relaxed' : 'strict');
  reply.header('farthing-as-of', new Date(asOf).toISOString());
}
