// A Farthing client that reports to the service of the tests, and the calls that came of it.
import { z } from 'zod';
import { Farthing } from '../../packages/sdk/src/index.ts';
import { expectStatus, onceCaughtUp, type Project, sharedFarthing, wholeRange } from '../support/client.ts';

const callRow = z.object({
  event_id: z.string(),
  customer: z.string(),
  user: z.string(),
  feature: z.string(),
  run: z.string(),
  model: z.string(),
  provider: z.string(),
  tags: z.record(z.string(), z.string()),
  failed: z.boolean(),
  elapsed_ms: z.number().nullable(),
  cost: z.number(),
  cost_source: z.string(),
  /** Buckets that hold any. */
  tokens: z
    .record(z.string(), z.number())
    .transform((tokens) => Object.fromEntries(Object.entries(tokens).filter(([, count]) => count > 0))),
  units: z.record(z.string(), z.number()),
  terms: z.record(z.string(), z.string()),
});
export type CallRow = z.infer<typeof callRow>;

/** What the projects of `openReporting` charge for units. */
export const unitRates: Readonly<Record<string, number>> = {
  web_searches: 0.01,
  grounded_prompts: 0.035,
  grounded_queries: 0.014,
  images: 0.04,
  audio_seconds: 0.0001,
  characters: 0.00002,
  pages: 0.001,
  annotated_pages: 0.002,
};

/** The options of a client that reports to a project at once. */
const reportTo = (project: Project) => ({
  url: project.farthing.url,
  clientId: project.clientId,
  clientSecret: project.secret,
  delayMs: 0,
  onProblem: ({ message }: { message: string }) => {
    throw new Error(message);
  },
});

/** The calls of a project, or of one customer, in the order of their time. */
export async function callsOf(project: Project, customer?: string): Promise<CallRow[]> {
  const body = { ...wholeRange, row: wholeRange, limit: 1000, ...(customer && { customers: [customer] }) };
  const answer = await onceCaughtUp(() => project.api('POST', '/api/calls/', body));
  return z.object({ rows: z.array(callRow) }).parse(expectStatus(answer, 200)).rows;
}

/** One project and one client for all tests of a file; the rates are whole dollars per million tokens. */
export async function openReporting(): Promise<{ project: Project; farthing: Farthing }> {
  const project = await sharedFarthing().createProject();
  await project.addPrice({
    model: '*',
    input_per_mtok: 3,
    output_per_mtok: 15,
    cache_read_per_mtok: 1,
    cache_write_per_mtok: 4,
    input_audio_per_mtok: 40,
    output_audio_per_mtok: 80,
    reasoning_per_mtok: 17,
    units: unitRates,
  });
  return { project, farthing: new Farthing(reportTo(project)) };
}
