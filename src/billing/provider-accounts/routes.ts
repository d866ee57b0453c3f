import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import { dayField } from '../../lib/day-field.ts';
import { addDays } from '../../lib/days.ts';
import type { App } from '../../lib/http/app.ts';
import { problemWith } from '../../lib/http/problem-schema.ts';
import { Problem } from '../../lib/problem.ts';
import { needBox, type SecretBox } from '../../lib/secret-box.ts';
import { pathId } from '../../lib/tag-map.ts';
import { timeField, toTime, toTimeOrNull } from '../../lib/times.ts';
import type { ControlSources } from '../../storage/control/control-store.ts';
import { modes, type ProviderAccountRow, providerKinds } from '../../storage/control/schema/billing-rows.ts';
import {
  changeAccount,
  countCalls,
  createAccount,
  deleteAccount,
  lastReadFields,
  maxAccounts,
  parseLastRead,
  parseSwitched,
  readAccounts,
  requestRead,
} from './accounts.ts';
import { exampleName, namesField, parseNames } from './names.ts';

export interface ProviderAccountRoutesOptions extends ControlSources {
  readonly box: SecretBox | undefined;
  /** Called when an account is to be read soon. */
  readonly onDue: () => void;
}

const tags = ['Provider accounts'];

const keyField = z
  .string()
  .regex(/^[\x21-\x7e]{8,500}$/, { error: 'must be a key: 8 to 500 characters without spaces' })
  .describe(
    'An admin key of OpenAI or Anthropic, or a management key of OpenRouter. It is encrypted, only reads, and is never shown again.',
  )
  .meta({ examples: ['sk-admin-…'] });
const modeField = z
  .enum(modes)
  .describe('`reconcile`: costs become entries of invoices. `meter`: usage becomes calls, too.');

/** How far back a first read may go, in days. */
const mostSinceDays = 1_100;
const exampleId = 'pva_01KAJ5S9T4M8W7Q2Z6Y1X3V5B0';

const count = z.number().int();
const account = z.object({
  id: z.string(),
  kind: z.enum(providerKinds),
  mode: modeField,
  since: z.string().meta({ format: 'date' }).describe('The first day to read, in UTC as all days here.'),
  names: z.array(
    z.object({
      by: z.string(),
      id: z.string(),
      customer: z.string().optional(),
      user: z.string().optional(),
      feature: z.string().optional(),
    }),
  ),
  created_at: timeField,
  calls: count.describe('The calls that its usage has become.'),
  last_success_at: timeField.nullable(),
  last_read: lastReadFields
    .nullable()
    .describe('The days that the last success read, what the provider reports for them, and how much of it was new.'),
  last_fault: z
    .object({ at: timeField, reason: z.string() })
    .nullable()
    .describe('Why the last read failed; null after a success.'),
  next_at: timeField.describe('When it is read next.'),
  switched: z
    .object({ at: timeField, to: modeField, calls_made: count, calls_withdrawn: count, done: z.boolean() })
    .nullable()
    .describe('What the last change of the mode did; `done` once a read has succeeded since.'),
});

export type ProviderAccountWire = z.output<typeof account>;

const exampleAccount: ProviderAccountWire = {
  id: exampleId,
  kind: 'openai',
  mode: 'meter',
  since: '2026-10-30',
  names: [exampleName],
  created_at: '2026-11-29T05:26:29.684Z',
  calls: 412,
  last_success_at: '2026-11-29T09:00:01.120Z',
  last_read: {
    ...{ date_from: '2026-11-22', date_to: '2026-11-29', entries: 96, calls: 110 },
    ...{ entries_changed: 8, calls_changed: 12 },
  },
  last_fault: null,
  next_at: '2026-11-29T10:00:01.120Z',
  switched: null,
};
const accountAs = (description: string) => account.meta({ description, examples: [exampleAccount] });
const inPath = z.object({ id: pathId.describe('The id of the account.').meta({ examples: [exampleId] }) });
const missing = 'This project has no provider account with this id.';

/** `/api/provider-accounts/` (D30.1). */
export function registerProviderAccounts(app: App, options: ProviderAccountRoutesOptions): void {
  const { control, clock, box, onDue } = options;
  const toOne = async (row: ProviderAccountRow) => toWire(row, await countCalls(control, row.project_id));
  app.get('/api/provider-accounts/', {
    config: { access: 'read' },
    schema: {
      summary: 'The provider accounts',
      description:
        'The oldest first, with when each was last read, what was read, and the last fault. No key is shown.',
      tags,
      response: {
        200: z
          .object({ accounts: z.array(account) })
          .meta({ description: 'The accounts.', examples: [{ accounts: [exampleAccount] }] }),
      },
    },
    handler: async (request) => {
      const { id } = projectOf(request);
      const calls = await countCalls(control, id);
      return { accounts: (await readAccounts(control, id)).map((row) => toWire(row, calls)) };
    },
  });
  app.post('/api/provider-accounts/', {
    config: { access: 'write' },
    schema: {
      summary: 'Set up a provider account',
      description: `Its costs, and with \`meter\` its usage, are read at once and then hourly: the last 7 days each time, because providers correct them. A project has at most ${maxAccounts}.`,
      tags,
      body: z
        .strictObject({
          kind: z.enum(providerKinds),
          key: keyField,
          since: dayField.optional().describe('The first day to read; default: 30 days ago. OpenRouter keeps 30 days.'),
          mode: modeField.default('reconcile'),
          names: namesField.default([]),
        })
        .meta({ examples: [{ kind: 'openai', key: 'sk-admin-…', mode: 'meter' }] }),
      response: {
        201: accountAs('The account is set up.'),
        409: problemWith().describe(`The project has ${maxAccounts} accounts, or one with this key.`),
      },
    },
    handler: async (request, reply) => {
      const { since } = request.body;
      const today = new Date(clock()).toISOString().slice(0, 10);
      if (since !== undefined && (since > today || since < addDays(today, -mostSinceDays))) {
        throw new Problem('invalid_body', 'The account is not set up.', {
          errors: [
            {
              pointer: '/since',
              code: 'out_of_range',
              message: `must be from ${addDays(today, -mostSinceDays)} to ${today}`,
            },
          ],
        });
      }
      const row = await createAccount(
        { control, clock },
        projectOf(request).id,
        { ...request.body, since },
        needBox(box, 'provider accounts'),
      );
      onDue();
      return reply.code(201).send(await toOne(row));
    },
  });
  app.patch('/api/provider-accounts/:id/', {
    config: { access: 'write' },
    schema: {
      summary: 'Change a provider account',
      description:
        'Replaces the key, the mode or the whole table of names. `reconcile` takes the calls of a metered account back; other names change them, as far back as the provider still reports.',
      tags,
      params: inPath,
      body: z
        .strictObject({ key: keyField.optional(), mode: modeField.optional(), names: namesField.optional() })
        .meta({ examples: [{ mode: 'reconcile' }] }),
      response: {
        200: accountAs('The changed account.'),
        409: problemWith().describe('Another account has this key.'),
      },
    },
    handler: async (request) => {
      const { key, mode, names } = request.body;
      const row = await changeAccount(
        { control, clock },
        { projectId: projectOf(request).id, id: request.params.id },
        {
          key: key === undefined ? undefined : { text: key, box: needBox(box, 'provider accounts') },
          ...{ mode, names },
        },
      );
      if (!row) throw new Problem('not_found', missing);
      onDue();
      return await toOne(row);
    },
  });
  app.post('/api/provider-accounts/:id/read/', {
    config: { access: 'write' },
    schema: {
      summary: 'Read a provider account now',
      description: 'It is read in the background, at once unless the provider has asked to wait.',
      tags,
      params: inPath,
      response: { 200: accountAs('The account, not read yet.') },
    },
    handler: async (request) => {
      const row = await requestRead({ control, clock }, projectOf(request).id, request.params.id);
      if (!row) throw new Problem('not_found', missing);
      onDue();
      return await toOne(row);
    },
  });
  app.delete('/api/provider-accounts/:id/', {
    config: { access: 'write' },
    schema: {
      summary: 'Delete a provider account',
      description: 'Deletes its key, and in the background its entries and calls, unless they are kept.',
      tags,
      params: inPath,
      querystring: z.strictObject({
        keep: z
          .enum(['true', 'false'])
          .default('false')
          .describe('`true` keeps its entries and calls; an account that is set up again brings them a second time.'),
      }),
      response: { 204: z.null().describe('The account is deleted.') },
    },
    handler: async (request, reply) => {
      const keeps = request.query.keep === 'true';
      const isDeleted = await deleteAccount({ control, clock }, projectOf(request).id, request.params.id, { keeps });
      if (!isDeleted) throw new Problem('not_found', missing);
      onDue();
      return reply.code(204).send(null);
    },
  });
}

function toWire(row: ProviderAccountRow, calls: ReadonlyMap<string, number>): ProviderAccountWire {
  const switched = parseSwitched(row.switched);
  return {
    ...{ id: row.id, kind: row.kind, mode: row.mode, since: row.since, names: parseNames(row.names) },
    ...{ created_at: toTime(row.created_at), calls: calls.get(row.id) ?? 0 },
    last_success_at: toTimeOrNull(row.succeeded_at),
    last_read: parseLastRead(row.last_read),
    last_fault: row.fault_at === null ? null : { at: toTime(row.fault_at), reason: row.fault ?? '' },
    next_at: toTime(Math.max(row.next_at, row.not_before)),
    switched: switched && { ...switched, at: toTime(switched.at) },
  };
}
