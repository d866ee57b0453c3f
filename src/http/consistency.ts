import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Progress } from '../calls/assembly/progress.ts';

/**
 * Waits until the answer includes what this instance acknowledged before, and says in `Farthing-As-Of` up to which instant
 * everything acknowledged is in it. With `Farthing-Consistency: relaxed` it does not wait (D4.7).
 */
export async function awaitConsistency(
  request: FastifyRequest,
  reply: FastifyReply,
  progress: Progress,
  projectId: string,
): Promise<void> {
  const relaxed = String(request.headers['farthing-consistency'] ?? '').toLowerCase() === 'relaxed';
  const asOf = await progress.waitFor(projectId, relaxed ? 'relaxed' : 'strict');
  reply.header('farthing-as-of', new Date(asOf).toISOString());
}
