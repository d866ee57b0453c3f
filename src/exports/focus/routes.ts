import { z } from 'zod';
import { parseCharges, runCharges } from '../../analytics/charges/run.ts';
import { readTags } from '../../analytics/lists/known-names.ts';
import { planPage } from '../../analytics/page.ts';
import type { AnalyticsSources } from '../../analytics/sources.ts';
import type { App } from '../../http/app.ts';
import { awaitConsistency } from '../../http/consistency.ts';
import { pageOf, pageQueryFields } from '../../http/page-envelope.ts';
import { dayField } from '../../lib/day-field.ts';
import { projectOf } from '../../projects/guard.ts';
import { type FocusRow, focusRow, focusTimesIn, focusVersion, toFocusRow } from './row.ts';

const focusQuery = z.strictObject({
  date_from: dayField.describe('First day, inclusive, in the timezone of the project.'),
  date_to: dayField.optional().describe('Last day, inclusive; default: today in the timezone of the project.'),
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
    project: { id: 'prj_01M7Y940TE0DJ7PP5H8R39FNVH', name: 'Support bot' },
    timesOf: focusTimesIn('Europe/Berlin'),
    tags: new Map([['acme', { plan: 'pro' }]]),
  },
);

/** `GET /api/exports/focus/` (D24.2). */
export function registerFocus(app: App, sources: AnalyticsSources): void {
  app.get(
    '/api/exports/focus/',
    {
      config: { access: 'read', readsCalls: true },
      schema: {
        summary: `Costs and usage as rows of FOCUS ${focusVersion}`,
        description:
          'Rows of the dataset "Cost and Usage" of the FinOps Open Cost and Usage Specification, by day, provider, model and ' +
          'customer. Calls are charges of the category Usage; what free AI credits cover of them is a charge of the category Credit.',
        tags: ['Analytics'],
        querystring: focusQuery,
        response: { 200: pageOf(focusRow, exampleRow) },
      },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const { date_from: dateFrom, date_to: dateTo } = request.query;
      const question = parseCharges(project.id, { dateFrom, dateTo });
      // Refuse invalid requests before waiting for consistency.
      const plan = planPage(project, question, request.query, sources.clock());
      await awaitConsistency(request, reply, sources.progress, project.id);
      const page = await runCharges(project, plan, sources);
      const customers = [...new Set(page.rows.map(({ customer }) => customer))];
      const tags = await readTags(
        { control: sources.control, projectId: project.id, dimension: 'customer' },
        customers.filter((customer) => customer !== ''),
      );
      const context = { project, timesOf: focusTimesIn(project.timezone), tags };
      return { ...page, rows: page.rows.map((charge) => toFocusRow(charge, context)) };
    },
  );
}
