import type { FastifyReply, FastifyRequest } from 'fastify';
import { projectOf } from '../../accounts/guard.ts';
import type { Project } from '../../accounts/projects.ts';
import { inHeavyTurn } from '../../lib/heavy-work.ts';
import { awaitConsistency } from '../../lib/http/consistency.ts';
import { Problem } from '../../lib/problem.ts';
import { toTime } from '../../lib/times.ts';
import { type AsOf, answerAsOf, findAskedClose } from '../facts/as-of.ts';
import type { MadeClose } from '../facts/closes.ts';
import { type PagedQuestion, type PagePlan, type PageRequest, planPage } from './page.ts';
import type { AnswerSources } from './sources.ts';

/** Answers as of now, once the calls have all acknowledged events, or as of a close, without waiting. */
export async function respondAsOf<Answer>(
  request: FastifyRequest,
  reply: FastifyReply,
  { control, progress }: AnswerSources,
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

/** An answer of pages: how what is asked becomes a question, and how a page of its rows is read. */
interface PagedAnswer<Asked, Question, Answer, Sources> {
  readonly parse: (projectId: string, asked: Asked) => Question;
  readonly run: (asOf: AsOf, question: Question, plan: PagePlan, sources: Sources) => Promise<Answer>;
  /** The only type of projects that it fits; default: any. */
  readonly type?: Project['type'];
}

/** Answers a question by period: refuses what is invalid before waiting, then reads the page as of now or of a close. */
export async function answerPage<
  Asked extends PageRequest & { readonly as_of?: string | undefined },
  Question extends PagedQuestion,
  Answer,
  Sources extends AnswerSources,
>(
  request: FastifyRequest,
  reply: FastifyReply,
  sources: Sources,
  asked: Asked,
  { parse, run, type }: PagedAnswer<Asked, Question, Answer, Sources>,
): Promise<Answer> {
  const project = projectOf(request);
  const question = parse(project.id, asked);
  const close = await findAskedClose(sources.control, project, asked.as_of, question.rangeFault);
  const plan = planPage(project, question, asked, sources.clock(), close);
  if (type) requireProjectType(project, type);
  return await respondAsOf(request, reply, sources, close, (asOf) => run(asOf, question, plan, sources));
}

/** The route that only one type of project has. */
const routes = { revenue: '/api/margin/', internal: '/api/performance/' } as const;
const descriptions = {
  revenue: 'linked to revenue',
  internal: 'internal, tracked by key metrics',
} as const;

/**
 * Refuses a question of the other type of projects. Check the body first: it may be invalid for both.
 * @throws Problem `wrong_project_type`, whose detail names the right route
 */
export function requireProjectType({ type }: Project, required: Project['type']): void {
  if (type === required) return;
  throw new Problem('wrong_project_type', `This project is ${descriptions[type]}: use POST ${routes[type]} instead.`);
}
