import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import { dimensions, taggedDimensions } from '../../lib/dimensions.ts';
import type { App } from '../../lib/http/app.ts';
import { pageAnswer, pageQuery } from '../../lib/http/page-envelope.ts';
import { storableText } from '../../lib/tag-map.ts';
import { timeField, toTime, toTimeOrNull } from '../../lib/times.ts';
import type { ControlSources } from '../../storage/control/control-store.ts';
import { listErasures, requestErasure } from './erasures.ts';

export interface ErasureRoutesOptions extends ControlSources {
  /** Resolves once the log has everything that was acknowledged before. */
  readonly flush: () => Promise<void>;
  readonly onErasure: () => void;
}

const erasureFields = z.object({
  id: z.string(),
  dimension: z.enum(taggedDimensions),
  requested_at: timeField,
  finished_at: timeField.nullable().describe('Null until all data is erased.'),
});
const exampleErasure = {
  id: 'era_01M7Y940HM46W4C89N0CDQSXWE',
  dimension: 'customer' as const,
  requested_at: '2026-11-21T05:26:29.684Z',
  finished_at: '2026-11-21T05:26:33.101Z',
};

/** `DELETE /api/customers/{name}/`, `DELETE /api/users/{name}/`, `GET /api/erasures/` (D2): with the admin token. */
export function registerErasures(app: App, { control, clock, flush, onErasure }: ErasureRoutesOptions): void {
  const config = { access: 'project_admin' } as const;
  for (const dimension of taggedDimensions) {
    app.delete(`/api/${dimensions[dimension].plural}/:name/`, {
      config,
      schema: {
        summary: `Erase a ${dimension} with all its data`,
        description:
          `Deletes its calls, all events of these calls, all other events that name it, its tags${dimension === 'customer' ? ' and its revenue' : ''}. ` +
          'Runs in the background; GET /api/erasures/ shows when it has finished. Data posted later is stored as usual.',
        tags: ['Erasure'],
        params: z.object({ name: storableText(1_024).describe(`The name of the ${dimension}, percent-encoded.`) }),
        response: {
          202: z.object({ id: z.string() }).meta({
            description: 'The erasure, which is carried out in the background.',
            examples: [{ id: exampleErasure.id }],
          }),
        },
      },
      handler: async (request, reply) => {
        // The job searches the log, which must have every event acknowledged before the request.
        await flush();
        const { id } = await requestErasure({ control, clock }, projectOf(request).id, dimension, request.params.name);
        onErasure();
        return reply.code(202).send({ id });
      },
    });
  }
  app.get('/api/erasures/', {
    config,
    schema: {
      summary: 'Erasures of customers and users, newest first',
      description: 'Without names: an erased name is not stored anywhere.',
      tags: ['Erasure'],
      querystring: pageQuery,
      response: { 200: pageAnswer('erasures', erasureFields, 'A page of the erasures.', exampleErasure) },
    },
    handler: async (request) => {
      const { limit, cursor } = request.query;
      const { rows, end } = await listErasures(control, { projectId: projectOf(request).id, limit, cursor });
      const erasures = rows.map((row) => ({
        id: row.id,
        dimension: row.dimension,
        requested_at: toTime(row.created_at),
        finished_at: toTimeOrNull(row.finished_at),
      }));
      return { erasures, ...end };
    },
  });
}
