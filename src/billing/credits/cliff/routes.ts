import { projectOf } from '../../../accounts/guard.ts';
import type { App } from '../../../lib/http/app.ts';
import { awaitConsistency } from '../../../lib/http/consistency.ts';
import { problemWith } from '../../../lib/http/problem-schema.ts';
import { requireProjectType } from '../../../reports/asking/respond.ts';
import type { AnalyticsSources } from '../../../reports/asking/sources.ts';
import { runCreditCliff } from './run.ts';
import { cliffSchema, exampleCliff } from './wire.ts';

/** `GET /api/credit-cliff/` (D25). */
export function registerCreditCliff(app: App, sources: AnalyticsSources): void {
  app.get('/api/credit-cliff/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'What becomes of margins when free credits end',
      description:
        'The margins of the last 28 full days with credits, and as they would be without them. Only for projects of ' +
        'type `revenue`.',
      tags: ['Credits'],
      response: {
        200: cliffSchema.meta({ description: 'The margins.', examples: [exampleCliff] }),
        400: problemWith().describe('The project is of type `internal`.'),
      },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      requireProjectType(project, 'revenue');
      await awaitConsistency(request, reply, sources.progress, project.id);
      return await runCreditCliff(project, sources);
    },
  });
}
