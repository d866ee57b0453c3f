import type { App } from '../../../lib/http/app.ts';
import { answerPage } from '../../../reports/asking/respond.ts';
import { parseReconciliation, reconciliationBody } from './parse.ts';
import { type ReconciliationSources, runReconciliation } from './run.ts';
import { reconciliationPage } from './wire.ts';

/** `POST /api/reconciliation/` (D18.2). */
export function registerReconciliation(app: App, sources: ReconciliationSources): void {
  app.post('/api/reconciliation/', {
    config: { access: 'read', readsCalls: true, isHeavy: true },
    schema: {
      summary: 'Why the invoices of providers differ from the computed costs',
      description:
        'The invoiced amount less the computed cost, by period, provider or model, and the parts of the difference by cause. ' +
        'The parts add up to it exactly.',
      tags: ['Invoices'],
      body: reconciliationBody,
      response: { 200: reconciliationPage },
    },
    handler: async (request, reply) =>
      await answerPage(request, reply, sources, request.body, { parse: parseReconciliation, run: runReconciliation }),
  });
}
