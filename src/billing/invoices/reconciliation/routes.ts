import { projectOf } from '../../../accounts/guard.ts';
import type { App } from '../../../lib/http/app.ts';
import { planPage } from '../../../reports/asking/page.ts';
import { respondAsOf } from '../../../reports/asking/respond.ts';
import { findAskedClose } from '../../../reports/facts/as-of.ts';
import { parseReconciliation, reconciliationBody } from './parse.ts';
import { type ReconciliationSources, runReconciliation } from './run.ts';
import { reconciliationPage } from './wire.ts';

/** `POST /api/reconciliation/` (D18.2). */
export function registerReconciliation(app: App, sources: ReconciliationSources): void {
  app.post(
    '/api/reconciliation/',
    {
      config: { access: 'read', readsCalls: true, isHeavy: true },
      schema: {
        summary: 'Why the invoices of providers differ from the computed costs',
        description:
          'What is invoiced less what is computed, by period, provider or model, and the parts of the difference by cause. ' +
          'The parts add up to it exactly.',
        tags: ['Invoices'],
        body: reconciliationBody,
        response: { 200: reconciliationPage },
      },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const close = await findAskedClose(sources.control, project, request.body.as_of);
      const question = parseReconciliation(project.id, request.body);
      // Refuse invalid requests before waiting for consistency.
      const plan = planPage(project, question, request.body, sources.clock(), close);
      return await respondAsOf(request, reply, sources, close, (asOf) =>
        runReconciliation(asOf, question, plan, sources),
      );
    },
  );
}
