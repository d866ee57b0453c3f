import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Clock } from '../../lib/clock.ts';
import { dayOf } from '../../lib/days.ts';
import { describeProblem, internalFault } from '../../lib/http/problem-reply.ts';
import { parseJson } from '../../lib/json.ts';
import { linkPath } from '../../lib/link-path.ts';
import { Problem } from '../../lib/problem.ts';
import { type Asked, type DashboardPlace, toFields } from './dashboard-place.ts';
import { type DescribedTool, takesSkip } from './describe.ts';
import { bytesOf, fewerRows, fits, type Told, toCutResult, toRefusal, toResult } from './result.ts';
import { type RouteRequest, toRequest } from './to-request.ts';

export interface RouteReply {
  readonly status: number;
  readonly text: string;
  /** `Farthing-As-Of`, if the route sends it. */
  readonly asOf: string | undefined;
}

/** The routes of a service, called with the rights of one caller. */
export interface Routes {
  readonly ask: (request: RouteRequest) => Promise<RouteReply>;
  /** The id of the request in the service's log. */
  readonly requestId: string;
  /** Called with an unexpected error, whose cause the assistant does not see. */
  readonly onFault: (error: unknown) => void;
  readonly clock: Clock;
  /** The address of the dashboard, without a slash at its end. */
  readonly origin: string;
  /** The project that links name: an API key has only one. */
  readonly project: string | undefined;
}

/** The longest link, in characters. Longer ones are left out. */
const maxLink = 2_000;

/** Calls the route of a tool and answers within 20 KB, with fewer rows than requested if these are larger. */
export async function callTool(described: DescribedTool, asked: Asked, routes: Routes): Promise<CallToolResult> {
  try {
    return takesSkip(described.tool, described.operation)
      ? await answerList(described, asked, routes)
      : await answerOnePage(described, asked, routes);
  } catch (error) {
    if (!(error instanceof Problem)) routes.onFault(error);
    const problem = error instanceof Problem ? error : internalFault();
    return toRefusal(JSON.stringify(describeProblem(problem, routes.requestId)));
  }
}

async function answerOnePage(described: DescribedTool, asked: Asked, routes: Routes): Promise<CallToolResult> {
  for (let fields = asked; ; ) {
    const reply = await routes.ask(toRequest(described, fields));
    if (reply.status >= 300) return toRefusal(reply.text);
    const answer = toFields(parseJson(reply.text));
    const told = await tellOf(described, { asked, answer, reply }, routes);
    const more = toMore(described, { asked, fields, answer });
    const result = toResult({ ...(more !== undefined && { more }), ...told }, reply.text);
    if (fits(result)) return result;
    const count = countRows(described, fields, answer);
    if (count <= 1) return toCutResult(told, reply.text, more ?? described.tool.smaller);
    fields = { ...fields, limit: fewerRows(count, bytesOf(result)) };
  }
}

/** How many rows the page has, or each list of an answer with several. A smaller limit can reduce them. */
function countRows({ tool, inputSchema }: DescribedTool, fields: Asked, answer: Asked): number {
  const limit = toFields(inputSchema.properties).limit;
  if (limit === undefined) return 0;
  const rows = tool.list === undefined ? undefined : answer[tool.list];
  return Array.isArray(rows) ? rows.length : Number(fields.limit ?? toFields(limit).default ?? 0);
}

interface Page {
  readonly asked: Asked;
  /** The arguments, with a limit whose answer fits. */
  readonly fields: Asked;
  readonly answer: Asked;
}

/** Says how to get the rest of the answer; undefined when it is complete. */
function toMore({ tool }: DescribedTool, { asked, fields, answer }: Page): string | undefined {
  const rows = tool.list === undefined ? undefined : answer[tool.list];
  if (Array.isArray(rows)) {
    if (answer.has_more !== true) return undefined;
    const next = 'For the next ones, ask the same with `cursor` set to the `next_cursor` of the answer.';
    return `These are ${rows.length} of more. ${next} ${tool.smaller}`.trim();
  }
  if (fields.limit === asked.limit) return undefined;
  return `Each list shows at most ${String(fields.limit)}, as an answer has at most 20 KB; \`others\` sums up the rest. ${tool.smaller}`;
}

/** Answers a list that its route sends whole: skips the first `skip` rows, and takes as many as fit. */
async function answerList(described: DescribedTool, asked: Asked, routes: Routes): Promise<CallToolResult> {
  const { skip: given = 0, ...fields } = asked;
  const skip = Number.isSafeInteger(given) ? Number(given) : -1;
  if (skip < 0) throw wrongSkip();
  const reply = await routes.ask(toRequest(described, fields));
  if (reply.status >= 300) return toRefusal(reply.text);
  const answer = toFields(parseJson(reply.text));
  const told = await tellOf(described, { asked, answer, reply }, routes);
  const { list = '', smaller } = described.tool;
  const all: readonly unknown[] = Array.isArray(answer[list]) ? answer[list] : [];
  for (let count = Math.max(all.length - skip, 0); ; ) {
    const shown = JSON.stringify({ ...answer, [list]: all.slice(skip, skip + count) });
    const isWhole = skip + count >= all.length;
    const more = `These are ${count} of ${all.length}. For the next ones, ask the same with \`skip\` ${skip + count}.`;
    const result = toResult({ ...(!isWhole && { more }), ...told }, shown);
    if (fits(result)) return result;
    if (count <= 1) return toCutResult(told, shown, isWhole ? smaller : more);
    count = fewerRows(count, bytesOf(result));
  }
}

function wrongSkip(): Problem {
  const message = 'must be a whole number of at least 0';
  return new Problem('invalid_query', `skip ${message}.`, {
    errors: [{ pointer: '/skip', code: 'invalid_value', message }],
  });
}

interface Answered {
  readonly asked: Asked;
  readonly answer: Asked;
  readonly reply: RouteReply;
}

async function tellOf({ tool }: DescribedTool, { asked, answer, reply }: Answered, routes: Routes): Promise<Told> {
  const link = await toLink(tool.place(asked, answer), routes);
  return {
    ...(Object.keys(tool.units).length > 0 && { units: tool.units }),
    ...(reply.asOf !== undefined && { as_of: reply.asOf }),
    ...(link.length <= maxLink && { link }),
  };
}

/** The address of a place. The dashboard needs both days or none, so a missing `to` becomes today. */
async function toLink({ steps, search = {} }: DashboardPlace, routes: Routes): Promise<string> {
  const to = search.from === undefined ? undefined : (search.to ?? (await readToday(routes)));
  const { origin, project } = routes;
  return `${origin}${linkPath(steps, { ...(project !== undefined && { project }), ...search, to })}`;
}

async function readToday({ ask, clock }: Routes): Promise<string | undefined> {
  const { status, text } = await ask({ method: 'GET', url: '/api/project/' });
  const { timezone } = status === 200 ? toFields(parseJson(text)) : {};
  return typeof timezone === 'string' ? dayOf(timezone, clock()) : undefined;
}
