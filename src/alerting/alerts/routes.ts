import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import type { Project } from '../../accounts/projects.ts';
import type { App } from '../../lib/http/app.ts';
import { listAnswer, pageAnswer, pageQueryFields } from '../../lib/http/page-envelope.ts';
import { type Fault, Problem, toPointer } from '../../lib/problem.ts';
import { timeField, toTime } from '../../lib/times.ts';
import type { ControlSources } from '../../storage/control/control-store.ts';
import { type AlertKind, alertKinds, definitions } from '../kinds/kinds.ts';
import { countOpen, listFirings, toFiring } from './firings.ts';
import { optionalSettings, resolveSettings, settingsWithDefaults } from './settings.ts';
import { changeWatch, readWatches, type Watch } from './watches.ts';

const alertFields = {
  enabled: z.boolean(),
  since: timeField.describe('Only causes from this time on fire.'),
  open: z.number().int().describe('The number of open firings.'),
};

const alertOf = (kind: AlertKind) => z.object({ kind: z.literal(kind), ...alertFields, ...settingsWithDefaults(kind) });

const anyAlert = z.union(alertKinds.map(alertOf));

export type Alert = z.output<typeof anyAlert>;

const anySetting: Record<string, z.ZodType> = Object.assign({}, ...alertKinds.map(optionalSettings));

const changeBody = z
  .strictObject({ enabled: z.boolean().optional(), ...anySetting })
  .describe('The settings that this kind has.')
  .meta({ examples: [{ days: 30 }, { enabled: false }] });

const exampleAlert = {
  kind: 'credit_ending' as const,
  enabled: true,
  since: '2026-11-21T05:26:29.684Z',
  open: 1,
  days: 14,
};

const firingFields = z.object({
  id: z.string(),
  kind: z.enum(alertKinds),
  subject: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .describe('What it is about, such as a customer, a model, or a threshold of a budget.'),
  started_at: timeField,
  ended_at: timeField.nullable().describe('Null while its cause lasts.'),
  numbers: z.record(z.string(), z.unknown()).describe('The numbers that fired, as they were then.'),
  title: z.string(),
  text: z.string(),
  path: z.string().describe('The path of the page that shows the numbers.'),
});

const exampleFiring = {
  id: 'fir_01M7Y940HM46W4C89N0CDQSXWE',
  kind: 'unpriced_model' as const,
  subject: { model: 'house-llm' },
  started_at: '2026-11-21T05:26:29.684Z',
  ended_at: null,
  numbers: { unpriced_calls: 12, calls: 12, days: 7 },
  title: 'house-llm has no price',
  text: 'In the last 7 days, 12 of 12 calls of house-llm have no price, and count as $0.',
  path: '/calls?from=2026-11-15&to=2026-11-21&models=%5B%22house-llm%22%5D',
};

const firingsPage = pageAnswer('firings', firingFields, 'A page of the firings.', exampleFiring);

export type FiringsPage = z.output<typeof firingsPage>;

const firingsQuery = z.strictObject({
  kind: z.enum(alertKinds).optional().describe('Only firings of this kind.'),
  state: z.enum(['open', 'ended']).optional().describe('Only firings whose cause lasts, or has ended.'),
  ...pageQueryFields,
});

const tags = ['Alerts'];

/** `GET /api/alerts/`, `PUT /api/alerts/{kind}/`, `GET /api/alerts/firings/` (D20.3). */
export function registerAlerts(app: App, sources: ControlSources): void {
  const { control, clock } = sources;
  app.get('/api/alerts/', {
    config: { access: 'read' },
    schema: {
      summary: 'The kinds of alerts, with their settings and open firings',
      description: 'Every project has all of them, turned on.',
      tags,
      response: { 200: listAnswer('alerts', anyAlert, 'The alerts.', exampleAlert) },
    },
    handler: async (request) => ({ alerts: await readAlerts(sources, projectOf(request)) }),
  });
  app.put('/api/alerts/:kind/', {
    config: { access: 'write' },
    schema: {
      summary: 'Change the settings of an alert, or turn it on or off',
      description:
        'Fields that are left out stay as they are. Turning an alert off ends its open firings, and nothing is sent. ' +
        'Causes that exist already when it is turned on again do not fire.',
      tags,
      // Not an enum, because an unknown kind must give 404, and a wrong body 400 before that.
      params: z.object({
        kind: z
          .string()
          .describe('The kind of alert.')
          .meta({ enum: [...alertKinds] }),
      }),
      body: changeBody,
      response: { 200: anyAlert.meta({ description: 'The alert, changed.', examples: [exampleAlert] }) },
    },
    handler: async (request) => {
      const project = projectOf(request);
      const kind = alertKinds.find((known) => known === request.params.kind);
      if (kind === undefined) throw new Problem('not_found', `The kinds of alerts are ${alertKinds.join(', ')}.`);
      const { enabled, ...settings } = request.body;
      requireSettingsOf(kind, settings);
      await changeWatch({ control, clock }, project, kind, { isEnabled: enabled, settings });
      const alert = (await readAlerts(sources, project)).find((one) => one.kind === kind);
      if (!alert) throw new Error(`There is no alert ${kind}`);
      return alert;
    },
  });
  app.get('/api/alerts/firings/', {
    config: { access: 'read' },
    schema: {
      summary: 'The firings of alerts, newest first',
      description: 'One for each cause, from its beginning to its end. Ended firings are kept for 400 days.',
      tags,
      querystring: firingsQuery,
      response: { 200: firingsPage },
    },
    handler: async (request) => {
      const { kind, state, limit, cursor } = request.query;
      const projectId = projectOf(request).id;
      const { rows, end } = await listFirings(control, { projectId, kind, state, limit, cursor });
      return { firings: rows.map(toFiring), ...end };
    },
  });
}

const toAlert = (watch: Watch, open: number): Alert => ({
  kind: watch.kind,
  enabled: watch.isEnabled,
  since: toTime(watch.since),
  open,
  ...resolveSettings(watch.kind, watch.settings),
});

async function readAlerts({ control, clock }: ControlSources, project: Project): Promise<Alert[]> {
  const [watches, open] = await Promise.all([readWatches(control, project, clock()), countOpen(control, project.id)]);
  return watches.map((watch) => toAlert(watch, open.get(watch.kind) ?? 0));
}

/** @throws Problem `invalid_body`, naming every setting that the kind does not have */
function requireSettingsOf(kind: AlertKind, given: object): void {
  const known = Object.keys(definitions[kind].settings);
  const errors = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map(
      (name): Fault => ({
        pointer: toPointer([name]),
        code: 'unknown_field',
        message: `is not a setting of ${kind}, which has ${known.join(', ')}`,
      }),
    );
  if (errors.length === 0) return;
  throw new Problem('invalid_body', `The alert ${kind} has the settings ${known.join(', ')} and enabled.`, { errors });
}
