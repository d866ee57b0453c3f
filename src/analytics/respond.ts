import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AsOf, answerAsOf } from '../closes/as-of.ts';
import type { MadeClose } from '../closes/closes.ts';
import { awaitConsistency } from '../http/consistency.ts';
import { toTime } from '../lib/times.ts';
import { projectOf } from '../projects/guard.ts';
import type { AnalyticsSources } from './sources.ts';

/**
 * Answers from what is in force now, after waiting until all acknowledged events are included, or without waiting
 * from what a close pins. `Farthing-As-Of` is then the time of the close.
 */
export async function respondAsOf<Answer>(
  request: FastifyRequest,
  reply: FastifyReply,
  { control, progress }: AnalyticsSources,
  close: MadeClose | undefined,
  answer: (asOf: AsOf) => Promise<Answer>,
): Promise<Answer> {
  const project = projectOf(request);
  if (close) reply.header('farthing-as-of', toTime(close.closed_at));
  else await awaitConsistency(request, reply, progress, project.id);
  return await answerAsOf(control, project, close, answer);
}
