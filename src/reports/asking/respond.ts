import type { FastifyReply, FastifyRequest } from 'fastify';
import { projectOf } from '../../accounts/guard.ts';
import { inHeavyTurn } from '../../lib/heavy-work.ts';
import { awaitConsistency } from '../../lib/http/consistency.ts';
import { toTime } from '../../lib/times.ts';
import { type AsOf, answerAsOf } from '../facts/as-of.ts';
import type { MadeClose } from '../facts/closes.ts';
import type { AnalyticsSources } from './sources.ts';

/**
 * Answers as of now, after waiting until the calls have all acknowledged events, or as of a close, without waiting. As
 * of a close, `Farthing-As-Of` is the time of the close.
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
  // What is in force is read once it is this answer's turn.
  const work = () => answerAsOf(control, project, close, answer);
  return await (request.routeOptions.config.isHeavy ? inHeavyTurn(work) : work());
}
