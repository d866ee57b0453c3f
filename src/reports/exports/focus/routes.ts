import { z } from 'zod';
import { dayField } from '../../../lib/day-field.ts';
import type { App } from '../../../lib/http/app.ts';
import { pageOf, pageQueryFields } from '../../../lib/http/page-envelope.ts';
import { asOfField } from '../../asking/body.ts';
import type { PagePlan } from '../../asking/page.ts';
import { answerPage } from '../../asking/respond.ts';
import type { AnswerSources } from '../../asking/sources.ts';
import { type ChargesQuestion, parseCharges, runCharges } from '../../charges/run.ts';
import type { AsOf } from '../../facts/as-of.ts';
import { type FocusRow, type FocusVersion, focusRow, focusTimesIn, focusVersions, toFocusRow } from './row.ts';

const focusQuery = z.strictObject({
  date_from: dayField.describe('First day, inclusive, in the timezone of the project.'),
  date_to: dayField.optional().describe('Last day, inclusive; default: today.'),
  as_of: asOfField,
  include_shared: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('Adds shared costs.'),
  version: z.enum(focusVersions).optional().describe(`Of FOCUS; default: ${focusVersions[0]}.`),
  ...pageQueryFields,
});

const exampleRow: FocusRow = toFocusRow(
  {
    day: '2026-11-20',
    provider: 'openai',
    model: 'gpt-4o-2024-08-06',
    customer: 'acme',
    category: 'usage',
    cost: 19n * 10n ** 26n,
    calls: 1,
    tokens: { input: 412, output: 87 },
    units: {},
  },
  {
    version: focusVersions[0],
    project: { id: 'prj_01M7Y940TE0DJ7PP5H8R39FNVH', name: 'Support bot' },
    timesOf: focusTimesIn('Europe/Berlin'),
    tags: new Map([['acme', { plan: 'pro' }]]),
  },
);

/** `GET /api/exports/focus/` (D24.2). */
export function registerFocus(app: App, sources: AnswerSources): void {
  app.get('/api/exports/focus/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'Costs and usage as rows of FOCUS',
      description:
        'Rows of the dataset "Cost and Usage" of the FinOps Open Cost and Usage Specification, by day, provider, model and ' +
        'customer. Calls are charges of the category Usage; the part that free AI credits cover is a charge of the category Credit. ' +
        'With `include_shared`, each day of a shared cost is its own charge of the category Usage.',
      tags: ['Analytics'],
      querystring: focusQuery,
      response: { 200: pageOf(focusRow, exampleRow) },
    },
    handler: async (request, reply) =>
      await answerPage(request, reply, sources, request.query, {
        parse: (projectId, asked) => {
          const question = parseCharges(projectId, asked);
          return { ...question, identity: [question.identity, asked.version] };
        },
        run: (asOf, question, plan) => readFocusRows(asOf, { ...question, plan }, sources, request.query.version),
      }),
  });
}

async function readFocusRows(
  asOf: AsOf,
  { plan, ...question }: ChargesQuestion & { readonly plan: PagePlan },
  sources: AnswerSources,
  version: FocusVersion = focusVersions[0],
) {
  const page = await runCharges(asOf, question, plan, sources);
  const customers = new Set(page.rows.map(({ customer }) => customer));
  customers.delete('');
  const tags = await asOf.facts.readTags('customer', [...customers]);
  const context = { version, project: asOf.project, timesOf: focusTimesIn(asOf.project.timezone), tags };
  return { ...page, rows: page.rows.map((charge) => toFocusRow(charge, context)) };
}
