import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { registerDeletion } from '../../accounts/deletion.ts';
import { projectOf } from '../../accounts/guard.ts';
import { type Reach, resolvesToPrivate } from '../../lib/guarded-request.ts';
import type { App } from '../../lib/http/app.ts';
import { listAnswer, pageAnswer, pageQuery } from '../../lib/http/page-envelope.ts';
import { problemWith } from '../../lib/http/problem-schema.ts';
import { parseJson } from '../../lib/json.ts';
import { type Fault, Problem } from '../../lib/problem.ts';
import { needBox, type SecretBox } from '../../lib/secret-box.ts';
import { pathId } from '../../lib/tag-map.ts';
import { toTime, toTimeOrNull } from '../../lib/times.ts';
import type { ControlQueries, ControlSources } from '../../storage/control/control-store.ts';
import type { NotificationDeliveryRow, NotificationEndpointRow } from '../../storage/control/schema/schema.ts';
import type { DigestPlan } from '../digests/schedule.ts';
import { type AlertKind, alertKinds } from '../kinds/kinds.ts';
import { countWaiting, listAttempts } from './deliveries.ts';
import {
  attemptFields,
  endpointBody,
  endpointChange,
  endpointFields,
  exampleAttempt,
  exampleEndpoint,
  exampleSecret,
  findTimesOfNone,
  getsNothing,
  isOfWeek,
  notOfWeek,
} from './endpoint-fields.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  maxEndpoints,
  planOf,
  readEndpoint,
  readEndpoints,
  rotateSecret,
} from './endpoints.ts';
import { maxTestsAMinute, storeTest } from './enqueue.ts';

export interface EndpointRoutesOptions extends ControlSources {
  readonly reach: Reach;
  readonly box: SecretBox | undefined;
  readonly sendsMail: boolean;
  readonly onDue: () => void;
}

const tags = ['Notifications'];
const inEndpoint = z.object({
  id: pathId.describe('The id of the endpoint.').meta({ examples: [exampleEndpoint.id] }),
});
const endpointAs = (description: string) => endpointFields.meta({ description, examples: [exampleEndpoint] });

/** `/api/notification-endpoints/` with all below it (D20.5). */
export function registerNotifications(app: App, options: EndpointRoutesOptions): void {
  registerReads(app, options);
  registerChanges(app, options);
  registerActions(app, options);
}

function registerReads(app: App, { control }: EndpointRoutesOptions): void {
  app.get('/api/notification-endpoints/', {
    config: { access: 'read' },
    schema: {
      summary: 'The endpoints of notifications',
      description: 'The oldest first, without their secrets.',
      tags,
      response: { 200: listAnswer('endpoints', endpointFields, 'The endpoints.', exampleEndpoint) },
    },
    handler: async (request) => {
      const { id } = projectOf(request);
      const waiting = await countWaiting(control, id);
      return { endpoints: (await readEndpoints(control, id)).map((endpoint) => toWire(endpoint, waiting)) };
    },
  });
  app.get('/api/notification-endpoints/:id/', {
    config: { access: 'read' },
    schema: {
      summary: 'One endpoint',
      description: 'Without its secret, which is shown only when it is made.',
      tags,
      params: inEndpoint,
      response: { 200: endpointAs('The endpoint.') },
    },
    handler: async (request) =>
      toWire(await findEndpoint(control, request), await countWaiting(control, projectOf(request).id)),
  });
  app.get('/api/notification-endpoints/:id/attempts/', {
    config: { access: 'read' },
    schema: {
      summary: 'The attempts to send to an endpoint',
      description:
        'Newest first, of the last 30 days. The text of a message is deleted once it is delivered or given up.',
      tags,
      params: inEndpoint,
      querystring: pageQuery,
      response: { 200: pageAnswer('attempts', attemptFields, 'A page of the attempts.', exampleAttempt) },
    },
    handler: async (request) => {
      const endpoint = await findEndpoint(control, request);
      const { limit, cursor } = request.query;
      const { rows, end } = await listAttempts(control, { endpointId: endpoint.id, limit, cursor });
      const attempts = rows.map((row) => ({
        id: row.id,
        webhook_id: row.delivery_id,
        notification: { id: row.notification_id, alert: alertOf(row), event: row.event },
        state: row.state,
        at: toTime(row.at),
        status: row.status,
        error: row.error,
        duration_ms: row.duration_ms,
        next_attempt_at: toTimeOrNull(row.next_attempt_at),
      }));
      return { attempts, ...end };
    },
  });
}

function registerChanges(app: App, options: EndpointRoutesOptions): void {
  const { control, reach, box } = options;
  const abilities = { reach, keepsSecrets: box !== undefined, sendsMail: options.sendsMail };
  app.post('/api/notification-endpoints/', {
    config: { access: 'write' },
    schema: {
      summary: 'Make an endpoint',
      description: 'The secret of a webhook is shown only in this answer.',
      tags,
      body: endpointBody(abilities),
      response: {
        201: endpointFields
          .extend({ secret: z.string().nullable().describe('For `webhook`, shown only once; else null.') })
          .meta({ description: 'The endpoint.', examples: [{ ...exampleEndpoint, secret: exampleSecret }] }),
        409: problemWith().describe(`The project has ${maxEndpoints} endpoints.`),
      },
    },
    handler: async (request, reply) => {
      const { kind, url, address, alerts, enabled, digest, digest_day: day = 1, digest_hour: hour = 8 } = request.body;
      await refusePrivate(url, reach);
      const common = { alerts, isEnabled: enabled, digest: digest && { every: digest, day, hour } };
      const made = await createEndpoint(
        options,
        projectOf(request).id,
        kind === 'email'
          ? { ...common, kind, target: address ?? '' }
          : { ...common, kind, target: url ?? '', box: needBox(box, 'endpoints') },
      );
      if (!made)
        throw new Problem(
          'conflict',
          `A project has at most ${maxEndpoints} notification endpoints; delete one first.`,
        );
      return reply.code(201).send({ ...toWire(made.endpoint, new Map()), secret: made.secret ?? null });
    },
  });
  app.patch('/api/notification-endpoints/:id/', {
    config: { access: 'write' },
    schema: {
      summary: 'Change an endpoint',
      description:
        'Fields that are left out stay. When an endpoint is disabled, its waiting deliveries are dropped. The secret stays; an endpoint never changes its kind.',
      tags,
      params: inEndpoint,
      body: endpointChange(abilities),
      response: { 200: endpointAs('The endpoint, changed.') },
    },
    handler: async (request) => {
      const project = projectOf(request);
      const { url, address, alerts, enabled } = request.body;
      const before = await findEndpoint(control, request);
      refuseOfKind(before, { url, address });
      const digest = toPlan(before, request.body);
      refuseEmpty(before, { alerts, digest });
      await refusePrivate(url, reach);
      const text = url ?? address;
      const endpoint = await changeEndpoint(options, project.id, before.id, {
        target:
          text === undefined
            ? undefined
            : { text, box: before.kind === 'slack' ? needBox(box, 'endpoints') : undefined },
        alerts,
        isEnabled: enabled,
        digest,
      });
      if (!endpoint) throw new Problem('not_found', noEndpoint);
      return toWire(endpoint, await countWaiting(control, project.id));
    },
  });
  registerDeletion(app, '/api/notification-endpoints/:id/', {
    summary: 'Delete an endpoint',
    description: 'Its waiting deliveries and its log of attempts are deleted too.',
    tags,
    params: inEndpoint,
    done: 'The endpoint is deleted.',
    missing: noEndpoint,
    run: ({ id }, projectId) => deleteEndpoint(control, projectId, id),
  });
}

function registerActions(app: App, options: EndpointRoutesOptions): void {
  const { control, clock, box, onDue } = options;
  app.post('/api/notification-endpoints/:id/test/', {
    config: { access: 'write' },
    schema: {
      summary: 'Test an endpoint',
      description:
        'Sends a notification of type `alert.test` at once, also to a disabled endpoint, and only once. The log of attempts shows how it went.',
      tags,
      params: inEndpoint,
      response: {
        202: z.object({ webhook_id: z.string(), notification_id: z.string() }).meta({
          description: 'The test is on its way.',
          examples: [{ webhook_id: exampleAttempt.webhook_id, notification_id: 'nts_01M7Y940HM46W4C89N0CDQSXWE' }],
        }),
        429: problemWith().describe(`The project has made ${maxTestsAMinute} tests in a minute.`),
      },
    },
    handler: async (request, reply) => {
      const projectId = projectOf(request).id;
      const endpoint = await findEndpoint(control, request);
      const test = await storeTest(control, { projectId, endpointId: endpoint.id, now: clock() });
      if (!test) {
        const detail = `A project can make ${maxTestsAMinute} tests in a minute; try again later.`;
        throw new Problem('rate_limited', detail, { headers: { 'retry-after': '60' } });
      }
      onDue();
      return reply.code(202).send({ webhook_id: test.webhookId, notification_id: test.notificationId });
    },
  });
  app.post('/api/notification-endpoints/:id/rotate-secret/', {
    config: { access: 'write' },
    schema: {
      summary: 'Give a webhook a new secret',
      description:
        'The new secret is shown only in this answer. For 24 hours webhooks have two signatures, by the new and by the old secret.',
      tags,
      params: inEndpoint,
      response: {
        200: endpointFields.extend({ secret: z.string().describe('Shown only once.') }).meta({
          description: 'The endpoint with its new secret.',
          examples: [{ ...exampleEndpoint, old_secret_until: '2026-11-22T05:26:29.684Z', secret: exampleSecret }],
        }),
        409: problemWith().describe('Only webhooks have a secret.'),
      },
    },
    handler: async (request) => {
      const projectId = projectOf(request).id;
      const endpoint = await findEndpoint(control, request);
      if (endpoint.kind !== 'webhook') {
        throw new Problem('conflict', 'Only webhooks have a secret; change the URL of a Slack endpoint instead.');
      }
      const rotated = await rotateSecret(options, { projectId, id: endpoint.id, box: needBox(box, 'endpoints') });
      if (!rotated) throw new Problem('not_found', noEndpoint);
      return { ...toWire(rotated.endpoint, await countWaiting(control, projectId)), secret: rotated.secret };
    },
  });
}

/** @throws Problem `not_found` */
async function findEndpoint(
  control: ControlQueries,
  request: FastifyRequest & { readonly params: { readonly id: string } },
): Promise<NotificationEndpointRow> {
  const endpoint = await readEndpoint(control, projectOf(request).id, request.params.id);
  if (!endpoint) throw new Problem('not_found', noEndpoint);
  return endpoint;
}

const noEndpoint = 'This project has no notification endpoint with this id.';

/** Refuses a URL whose host has an address that is not public. Each connection checks its addresses again. */
async function refusePrivate(url: string | undefined, reach: Reach): Promise<void> {
  if (url === undefined || !(await resolvesToPrivate(new URL(url), reach))) return;
  const message = 'must have a public address, or be a host of FARTHING_WEBHOOK_HOSTS';
  throw invalid([{ pointer: '/url', code: 'invalid_value', message }]);
}

/** Refuses the field of another kind of endpoint. */
function refuseOfKind(
  { kind }: NotificationEndpointRow,
  given: { readonly url: string | undefined; readonly address: string | undefined },
): void {
  const name = kind === 'email' ? 'url' : 'address';
  if (given[name] === undefined) return;
  throw invalid([{ pointer: `/${name}`, code: 'invalid_value', message: `must be left out for ${kind}` }]);
}

/** Refuses an endpoint that would get neither alerts nor digests. */
function refuseEmpty(
  before: NotificationEndpointRow,
  {
    alerts,
    digest,
  }: { readonly alerts: readonly AlertKind[] | null | undefined; readonly digest: DigestPlan | null | undefined },
): void {
  const kinds = alerts === undefined ? toKinds(before) : alerts;
  const plan = digest === undefined ? planOf(before) : digest;
  if (kinds?.length !== 0 || plan !== null) return;
  throw invalid([{ pointer: alerts === undefined ? '/digest' : '/alerts', code: 'empty', message: getsNothing }]);
}

const toKinds = ({ alerts }: Pick<NotificationEndpointRow, 'alerts'>): AlertKind[] | null =>
  alerts === null ? null : (parseJson(alerts) as AlertKind[]);

type DigestChange = Pick<z.output<ReturnType<typeof endpointChange>>, 'digest' | 'digest_day' | 'digest_hour'>;

/** When a changed endpoint gets digests; undefined where nothing of it changes. @throws Problem `invalid_body` */
function toPlan(before: NotificationEndpointRow, change: DigestChange): DigestPlan | null | undefined {
  const { digest = before.digest, digest_day: day, digest_hour: hour } = change;
  if (change.digest === undefined && day === undefined && hour === undefined) return undefined;
  if (digest === null) {
    const errors = findTimesOfNone(change);
    if (errors.length > 0) throw invalid(errors);
    return null;
  }
  const known = planOf(before);
  // The day of another interval means another day.
  const plan = {
    every: digest,
    day: day ?? (known?.every === digest ? known.day : 1),
    hour: hour ?? known?.hour ?? 8,
  };
  if (isOfWeek({ digest, digest_day: plan.day })) return plan;
  throw invalid([{ pointer: '/digest_day', code: 'invalid_value', message: notOfWeek }]);
}

const invalid = (errors: readonly Fault[]) =>
  new Problem('invalid_body', 'The body is not valid: see errors.', { errors });

const alertOf = ({ kind }: Pick<NotificationDeliveryRow, 'kind'>): AlertKind | null =>
  alertKinds.find((alert) => alert === kind) ?? null;

const toWire = (
  { id, kind, target, disabled_reason, ...endpoint }: NotificationEndpointRow,
  waiting: ReadonlyMap<string, number>,
): z.output<typeof endpointFields> => ({
  ...{ id, kind, disabled_reason },
  url: kind === 'email' ? null : target,
  address: kind === 'email' ? target : null,
  alerts: toKinds(endpoint),
  enabled: endpoint.enabled === 1,
  digest: endpoint.digest,
  digest_day: endpoint.digest_day,
  digest_hour: endpoint.digest_hour,
  old_secret_until: toTimeOrNull(endpoint.old_secret_until),
  waiting: waiting.get(id) ?? 0,
  created_at: toTime(endpoint.created_at),
  updated_at: toTime(endpoint.updated_at),
});
