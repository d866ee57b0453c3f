import { z } from 'zod';
import { registerDeletion } from '../../accounts/deletion.ts';
import { projectOf } from '../../accounts/guard.ts';
import type { App } from '../../lib/http/app.ts';
import { awaitConsistency } from '../../lib/http/consistency.ts';
import { listAnswer } from '../../lib/http/page-envelope.ts';
import { readPathName } from '../../lib/http/path-name.ts';
import { problemWith } from '../../lib/http/problem-schema.ts';
import { wideToJsonNumber } from '../../lib/money.ts';
import { Problem } from '../../lib/problem.ts';
import { textParameter } from '../../lib/query-fields.ts';
import { toTimeOrNull } from '../../lib/times.ts';
import type { AnswerSources } from '../../reports/asking/sources.ts';
import { deleteRows } from '../../storage/control/control-store.ts';
import { budgetBody, budgetName, definitionBody, parseDefinition } from './body.ts';
import type { Budget } from './budget.ts';
import { readStanding } from './read-standing.ts';
import type { SpendingMemory } from './spending-memory.ts';
import { maxBudgets, putBudget, readBudget, readBudgets } from './store.ts';
import {
  budgetSchema,
  checkSchema,
  exampleCheck,
  exampleFreePlan,
  exampleStandings,
  standingSchema,
  toCheck,
  toStanding,
  toStandingOfAll,
  toWire,
} from './wire.ts';

export interface BudgetSources extends AnswerSources {
  readonly spending: SpendingMemory;
}

const tags = ['Budgets'];

const budgetAs = (description: string) => budgetSchema.meta({ description, examples: [exampleFreePlan] });
const nameParams = z.object({ name: budgetName.describe('The name of the budget.') });
const ofQuery = z.strictObject({
  of: textParameter(1_024)
    .refine((of) => of !== '', { error: 'must not be empty', params: { code: 'empty' } })
    .optional()
    .describe('One customer, user, feature or run, for a budget with `each`. One that was never seen has spent 0.'),
});

/** `GET/POST /api/budgets/`, `GET/PUT/DELETE /api/budgets/{name}/` and its `check/` (D20.1, D20.2). */
export function registerBudgets(app: App, sources: BudgetSources): void {
  registerDefinitions(app, sources);
  registerReads(app, sources);
}

function registerDefinitions(app: App, { control, clock }: BudgetSources): void {
  app.get('/api/budgets/', {
    config: { access: 'read' },
    schema: {
      summary: 'The budgets of the project',
      description: 'By name, in code-point order.',
      tags,
      response: { 200: listAnswer('budgets', budgetSchema, 'The budgets.', exampleFreePlan) },
    },
    handler: async (request) => ({ budgets: (await readBudgets(control, projectOf(request).id)).map(toWire) }),
  });
  app.post('/api/budgets/', {
    config: { access: 'write' },
    schema: {
      summary: 'Make a budget',
      description: 'It counts the whole of the current period, from its first day on.',
      tags,
      body: budgetBody,
      response: {
        201: budgetAs('The budget, made.'),
        409: problemWith().describe(`A budget of this name exists, or the project has ${maxBudgets} budgets.`),
      },
    },
    handler: async (request, reply) => {
      const { name, ...body } = request.body;
      const put = { name, definition: parseDefinition(body), replaces: false };
      const { budget } = requirePut(await putBudget({ control, clock }, projectOf(request).id, put));
      return reply.code(201).send(toWire(budget));
    },
  });
  app.put('/api/budgets/:name/', {
    config: { access: 'write' },
    schema: {
      summary: 'Make or replace a budget',
      description: 'Replaces all of it, at once. 201 when it was made, 200 when it replaced one of this name.',
      tags,
      params: z.object({ name: z.string().describe('1 to 128 characters.') }),
      body: definitionBody,
      response: {
        200: budgetAs('The budget, replaced.'),
        201: budgetAs('The budget, made.'),
        409: problemWith().describe(`The project has ${maxBudgets} budgets.`),
      },
    },
    handler: async (request, reply) => {
      const put = {
        name: readPathName(budgetName, request.params.name, 'a budget'),
        definition: parseDefinition(request.body),
        replaces: true,
      };
      const { budget, isNew } = requirePut(await putBudget({ control, clock }, projectOf(request).id, put));
      return reply.code(isNew ? 201 : 200).send(toWire(budget));
    },
  });
  registerDeletion(app, '/api/budgets/:name/', {
    summary: 'Delete a budget',
    description: 'Costs stay as they are: a budget that is made again counts them again.',
    tags,
    params: nameParams,
    done: 'The budget is deleted.',
    missing: noBudget,
    run: ({ name }, projectId) => deleteRows(control, 'budgets', { project_id: projectId, name }),
  });
}

function registerReads(app: App, sources: BudgetSources): void {
  const { control, spending } = sources;
  app.get('/api/budgets/:name/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'A budget, with what is spent in the current period',
      description:
        'What is spent is the cost that `POST /api/costs/` gives for the days of the period and the same filters. ' +
        'A budget with `each` also lists its values with the most spent; `remaining` and `spent_pct` are null then, unless `of` names one.',
      tags,
      params: nameParams,
      querystring: ofQuery,
      response: {
        200: standingSchema.meta({ description: 'The budget, with what is spent.', examples: exampleStandings }),
      },
    },
    handler: async (request, reply) => {
      const { id } = projectOf(request);
      const budget = await readBudget(control, id, request.params.name);
      if (!budget) throw new Problem('not_found', noBudget);
      const { of } = request.query;
      if (of !== undefined) refuseOf(budget);
      await awaitConsistency(request, reply, sources.progress, id);
      const { span, lastDay, resetsAt, spent, forecast, largest } = await readStanding(sources, id, budget, of);
      return {
        ...toWire(budget),
        period_from: span.dateFrom,
        period_to: lastDay,
        resets_at: toTimeOrNull(resetsAt ?? null),
        ...(largest ? toStandingOfAll(spent) : toStanding(budget, spent)),
        forecast: forecast === undefined ? null : wideToJsonNumber(forecast),
        ...(of !== undefined && { of }),
        ...(largest && { each_spent: largest.map(([value, sum]) => ({ of: value, ...toStanding(budget, sum) })) }),
      };
    },
  });
  app.get('/api/budgets/:name/check/', {
    config: { access: 'read' },
    schema: {
      summary: 'Whether more may be spent',
      description:
        'To be asked before a call. Answered from memory, at most a second behind what this instance has acknowledged while the store keeps up: ' +
        '`as_of` says how far. While nothing is known, it waits like other answers, and never guesses.',
      tags,
      params: nameParams,
      querystring: ofQuery,
      response: {
        200: checkSchema.meta({ description: 'Whether more may be spent.', examples: [exampleCheck] }),
      },
    },
    handler: async (request) => {
      const { of } = request.query;
      const found = await spending.find(projectOf(request).id, request.params.name, of);
      if (!found) throw new Problem('not_found', noBudget);
      if (of !== undefined) refuseOf(found.budget);
      else requireOf(found.budget);
      return toCheck(found);
    },
  });
}

const noBudget = 'This project has no budget of this name.';

function requirePut(result: Awaited<ReturnType<typeof putBudget>>) {
  if (result.ok) return result;
  throw new Problem(
    'conflict',
    result.reason === 'exists'
      ? 'A budget of this name exists; replace it with PUT, or choose another name.'
      : `A project has at most ${maxBudgets} budgets; delete one first.`,
  );
}

/** @throws Problem `invalid_query` for `of` where no value has a budget of its own */
function refuseOf({ each }: Budget): void {
  if (each) return;
  const message = 'must be left out: the budget has no each';
  throw new Problem('invalid_query', `of ${message}.`, {
    errors: [{ pointer: '/of', code: 'unknown_field', message }],
  });
}

/** @throws Problem `invalid_query` when a value has to be named */
function requireOf({ each }: Budget): void {
  if (!each) return;
  const message = `must name a ${each}: each has a budget of its own`;
  throw new Problem('invalid_query', `of ${message}.`, { errors: [{ pointer: '/of', code: 'required', message }] });
}

/** Notes every request that may have changed budgets or what counts in them, before it is answered. */
export function tellOfChanges(app: App, spending: Pick<SpendingMemory, 'noteChanged'>): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.project && request.routeOptions.config.access === 'write' && reply.statusCode < 300) {
      spending.noteChanged(request.project.id);
    }
    done(null, payload);
  });
}
