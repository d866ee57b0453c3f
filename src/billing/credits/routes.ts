import { z } from 'zod';
import { registerDeletion } from '../../accounts/deletion.ts';
import { projectOf } from '../../accounts/guard.ts';
import type { App } from '../../lib/http/app.ts';
import { awaitConsistency } from '../../lib/http/consistency.ts';
import { listAnswer } from '../../lib/http/page-envelope.ts';
import { problemWith } from '../../lib/http/problem-schema.ts';
import { Problem } from '../../lib/problem.ts';
import { pathId } from '../../lib/tag-map.ts';
import { timeField } from '../../lib/times.ts';
import type { AnswerSources } from '../../reports/asking/sources.ts';
import { exampleGrant, grantBody } from '../../reports/facts/body.ts';
import { addGrant, maxGrants, maxModelNames } from '../../reports/facts/grants.ts';
import { deleteRows } from '../../storage/control/control-store.ts';
import { readCredits, toGrantFields } from './balances.ts';

const grantFields = z.object({
  id: z.string(),
  name: z.string().nullable(),
  provider: z.string(),
  models: z.array(z.string()).nullable().describe('Null for every model of the provider.'),
  amount: z.number().describe('USD.'),
  starts_on: z.string().meta({ format: 'date' }),
  expires_on: z.string().meta({ format: 'date' }).nullable(),
  priority: z.number().int(),
  created_at: timeField,
});

const balancedGrant = z.object({
  ...grantFields.shape,
  used: z.number().describe('USD; the exact sum of its discounts up to and including today.'),
  remaining: z.number().describe('USD; the amount less what was used.'),
  runs_out_on: z
    .string()
    .meta({ format: 'date' })
    .nullable()
    .describe(
      'The day on which nothing remains, predicted from the use of the last 30 days; for a grant that is used up, the day on which that happened. Null when it was not used on these days or expires before.',
    ),
});

const exampleMade = { id: 'grt_01M7Y940HM46W4C89N0CDQSXWE', ...exampleGrant, created_at: '2026-11-21T05:26:29.684Z' };
const exampleBalanced = { ...exampleMade, used: 812.5, remaining: 1_687.5, runs_out_on: '2027-01-05' };

const tags = ['Credits'];

const mostGrants = `A project has at most ${maxGrants} credit grants, with ${maxModelNames} characters of names of models`;

/** `GET/POST /api/credit-grants/`, `DELETE /api/credit-grants/{id}/` (D2, D7). */
export function registerCreditGrants(app: App, sources: AnswerSources): void {
  const { control } = sources;
  app.get('/api/credit-grants/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'The credit grants, with the amounts used and left',
      description:
        'Sorted by creation. Grants are used day by day for the cost of the whole project, in this order: lower priority ' +
        'number, sooner expiry, sooner start, id.',
      tags,
      response: { 200: listAnswer('credit_grants', balancedGrant, 'The grants.', exampleBalanced) },
    },
    handler: async (request, reply) => {
      const { id } = projectOf(request);
      await awaitConsistency(request, reply, sources.progress, id);
      return { credit_grants: (await readCredits(sources, id)).grants };
    },
  });
  app.post('/api/credit-grants/', {
    config: { access: 'write' },
    schema: {
      summary: 'Add a credit grant',
      description:
        'The grant is used from its first day on for the cost of its provider and models, on past days too. Only answers that apply credits show it.',
      tags,
      body: grantBody,
      response: {
        201: grantFields.meta({ description: 'The grant, in force.', examples: [exampleMade] }),
        409: problemWith().describe(`${mostGrants}.`),
      },
    },
    handler: async (request, reply) => {
      const { body } = request;
      const made = await addGrant(sources, projectOf(request).id, {
        name: body.name,
        provider: body.provider,
        models: body.models,
        amount: body.amount,
        startsOn: body.starts_on,
        expiresOn: body.expires_on,
        priority: body.priority,
      });
      if (!made) {
        throw new Problem('conflict', `${mostGrants}; delete one that has expired.`);
      }
      return reply.code(201).send(toGrantFields(made));
    },
  });
  registerDeletion(app, '/api/credit-grants/:id/', {
    summary: 'Delete a credit grant',
    description: 'Net costs, including those of past days, are then as if the grant had never existed.',
    tags,
    params: z.object({ id: pathId.describe('The id of the grant.').meta({ examples: [exampleMade.id] }) }),
    done: 'The grant is deleted.',
    missing: 'This project has no credit grant with this id.',
    run: ({ id }, projectId) => deleteRows(control, 'credit_grants', { project_id: projectId, id }),
  });
}
