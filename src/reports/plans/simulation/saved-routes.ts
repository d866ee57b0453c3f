import { z } from 'zod';
import { registerDeletion } from '../../../accounts/deletion.ts';
import { projectOf } from '../../../accounts/guard.ts';
import type { App } from '../../../lib/http/app.ts';
import { listAnswer } from '../../../lib/http/page-envelope.ts';
import { readPathName } from '../../../lib/http/path-name.ts';
import { problemWith } from '../../../lib/http/problem-schema.ts';
import { Problem } from '../../../lib/problem.ts';
import { storableText } from '../../../lib/tag-map.ts';
import { timeField, toTime } from '../../../lib/times.ts';
import { type ControlSources, deleteRows } from '../../../storage/control/control-store.ts';
import { requireProjectType } from '../../asking/respond.ts';
import { exampleQuestion, questionBody } from './parse.ts';
import {
  findSaved,
  mostSaved,
  mostSavedBytes,
  readSaved,
  type SavedSimulation,
  saveSimulation,
  spellQuestion,
} from './saved.ts';

const tags = ['Plans'];
const simulationName = storableText(128);
const nameParams = z.object({ name: simulationName.describe('The name of the simulation.') });

const times = { created_at: timeField, updated_at: timeField };
const exampleTimes = { created_at: '2026-11-21T05:26:29.684Z', updated_at: '2026-11-21T05:26:29.684Z' };

const savedSchema = z.object({
  name: z.string(),
  question: z
    .object({
      date_from: z.string().meta({ format: 'date' }),
      date_to: z.string().meta({ format: 'date' }).optional(),
      plans: z.array(
        z.object({
          name: z.string(),
          customers: z.object({
            customer_tags: z.record(z.string(), z.array(z.string())).optional(),
            names: z.array(z.string()).optional(),
          }),
          base_per_month: z.number(),
          included: z.object({ unit: z.string(), amount: z.number() }).optional(),
          overage: z.object({ unit: z.string(), price: z.number() }).optional(),
          markup_pct: z.number().optional(),
        }),
      ),
      target_margin_pct: z.number().optional(),
      apply_credits: z.boolean(),
      include_shared: z.boolean().optional(),
    })
    .describe('A body of `POST /api/plans/simulate/`.'),
  ...times,
});

const exampleSaved = {
  name: 'Dearer Pro',
  question: {
    ...exampleQuestion,
    plans: exampleQuestion.plans.map((plan) => ({ ...plan, customers: { customer_tags: { plan: ['pro'] } } })),
    apply_credits: false,
  },
  ...exampleTimes,
};

export type SavedWire = z.output<typeof savedSchema>;

const savedAs = (description: string) => savedSchema.meta({ description, examples: [exampleSaved] });

const listedSchema = z.object({ name: z.string(), ...times });

/** `GET /api/plans/simulations/`, `GET/PUT/DELETE /api/plans/simulations/{name}/` (D29.2). */
export function registerSavedSimulations(app: App, { control, clock }: ControlSources): void {
  app.get('/api/plans/simulations/', {
    config: { access: 'read' },
    schema: {
      summary: 'The saved simulations of the project',
      description: 'By name, in code-point order.',
      tags,
      response: {
        200: listAnswer('simulations', listedSchema, 'The saved simulations.', { name: 'Dearer Pro', ...exampleTimes }),
      },
    },
    handler: async (request) => ({
      simulations: (await readSaved(control, projectOf(request).id)).map(({ name, createdAt, updatedAt }) => ({
        name,
        created_at: toTime(createdAt),
        updated_at: toTime(updatedAt),
      })),
    }),
  });
  app.get('/api/plans/simulations/:name/', {
    config: { access: 'read' },
    schema: {
      summary: 'One saved simulation',
      description: 'Its question, to be sent to `POST /api/plans/simulate/` again.',
      tags,
      params: nameParams,
      response: { 200: savedAs('The saved simulation.') },
    },
    handler: async (request) => {
      const saved = await findSaved(control, projectOf(request).id, request.params.name);
      if (!saved) throw new Problem('not_found', noSimulation);
      return toWire(saved);
    },
  });
  app.put('/api/plans/simulations/:name/', {
    config: { access: 'write' },
    schema: {
      summary: 'Save a simulation under a name',
      description:
        'Takes the body of `POST /api/plans/simulate/`, without `limit`, and stores the question, not its answer. 201 when it was made, 200 when ' +
        'it replaced one of this name.',
      tags,
      params: z.object({ name: z.string().describe('1 to 128 characters.') }),
      body: questionBody,
      response: {
        200: savedAs('The simulation, replaced.'),
        201: savedAs('The simulation, saved.'),
        409: problemWith().describe(`The project has ${mostSaved} saved simulations.`),
      },
    },
    handler: async (request, reply) => {
      const name = readPathName(simulationName, request.params.name, 'a simulation');
      requireProjectType(projectOf(request), 'revenue');
      const question = spellQuestion(request.body);
      if (Buffer.byteLength(question) > mostSavedBytes) throw tooLarge();
      const result = await saveSimulation({ control, clock }, projectOf(request).id, { name, question });
      if (!result) {
        throw new Problem('conflict', `A project has at most ${mostSaved} saved simulations; delete one first.`);
      }
      return reply.code(result.isNew ? 201 : 200).send(toWire(result.saved));
    },
  });
  registerDeletion(app, '/api/plans/simulations/:name/', {
    summary: 'Delete a saved simulation',
    description: 'Nothing else changes.',
    tags,
    params: nameParams,
    done: 'The simulation is deleted.',
    missing: noSimulation,
    run: ({ name }, projectId) => deleteRows(control, 'plan_simulations', { project_id: projectId, name }),
  });
}

const noSimulation = 'This project has no saved simulation of this name.';

const tooLarge = () =>
  new Problem('invalid_body', 'The simulation is too large to be saved: select customers by tags.', {
    errors: [{ pointer: '/plans', code: 'too_large', message: `must take at most ${mostSavedBytes} bytes as JSON` }],
  });

const toWire = ({ name, question, createdAt, updatedAt }: SavedSimulation): z.input<typeof savedSchema> => ({
  name,
  question: {
    ...question,
    plans: question.plans.map(({ included, overage, markup_pct: markup, customers, ...plan }) => ({
      name: plan.name,
      customers: {
        ...(customers.customer_tags && { customer_tags: toLists(customers.customer_tags) }),
        ...(customers.names && { names: [...customers.names] }),
      },
      base_per_month: Number(plan.base_per_month),
      ...(included && { included: { unit: included.unit, amount: Number(included.amount) } }),
      ...(overage && { overage: { unit: overage.unit, price: Number(overage.price) } }),
      ...(markup !== undefined && { markup_pct: Number(markup) }),
    })),
  },
  created_at: toTime(createdAt),
  updated_at: toTime(updatedAt),
});

const toLists = (lists: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(lists).map(([key, values]) => [key, [...values]]));
