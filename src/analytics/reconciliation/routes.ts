import type { App } from '../../http/app.ts';
import { awaitConsistency } from '../../http/consistency.ts';
import { projectOf } from '../../projects/guard.ts';
import { planPage } from '../page.ts';
import { parseReconciliation, reconciliationBody } from './parse.ts';
import { type ReconciliationSources, runReconciliation } from './run.ts';
import { reconciliationPage } from './wire.ts';

/** `POST /api/reconciliation/` (D18.2). */
export function registerReconciliation(app: App, sources: ReconciliationSources): void {
  app.post(
    '/api/reconciliation/',
    {
      config: { access: 'read', readsCalls: true },
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
      const question = parseReconciliation(project.id, request.body);
      // Refuse invalid requests before waiting for consistency.
      const plan = planPage(project, question, request.body, sources.clock());
      await awaitConsistency(request, reply, sources.progress, project.id);
      return await runReconciliation(project, question, plan, sources);
    },
  );
}
