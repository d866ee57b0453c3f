import { z } from 'zod';
import { type Reach, refusalOf } from '../../lib/guarded-request.ts';
import type { Fault } from '../../lib/problem.ts';
import { timeField } from '../../lib/times.ts';
import { digestIntervals } from '../digests/schedule.ts';
import { alertKinds } from '../kinds/kinds.ts';

/** Which endpoints an instance can send to. */
export interface Abilities {
  readonly reach: Reach;
  /** Whether secrets of endpoints can be stored. */
  readonly keepsSecrets: boolean;
  readonly sendsMail: boolean;
}

const kinds = ['webhook', 'slack', 'email'] as const;
const exampleUrl = 'https://hooks.example.com/farthing';

const alertsField = z
  .array(z.enum(alertKinds))
  .refine((alerts) => new Set(alerts).size === alerts.length, {
    error: 'must name each kind once',
    params: { code: 'duplicate' },
  })
  .nullable()
  .describe('The kinds of alerts that it gets; null for all. Empty for digests alone.');

const urlField = ({ reach }: Abilities) =>
  z
    .string()
    .max(2_048)
    .superRefine((text, context) => {
      const refusal = URL.canParse(text) ? refusalOf(new URL(text), reach) : 'must be a URL';
      if (refusal === undefined) return;
      context.addIssue({ code: 'custom', message: refusal, params: { code: 'invalid_value' } });
    })
    .describe(
      'For `webhook` and `slack`. Must start with https:// and have a public address, except on the hosts of `FARTHING_WEBHOOK_HOSTS`.',
    )
    .meta({ example: exampleUrl });

const addressField = z.email({ error: 'must be an e-mail address' }).max(254).describe('For `email`.');

const digestAbout = 'It covers days that are over: seven for `weekly`, a calendar month for `monthly`.';

const digestFields = {
  digest: z.enum(digestIntervals).nullable().describe(`How often it gets a digest; null for never. ${digestAbout}`),
  digest_day: z
    .int()
    .min(1)
    .max(28)
    .describe('The day on which it is sent: weekly 1 (Monday) to 7, monthly 1 to 28; default: 1.'),
  digest_hour: z
    .int()
    .min(0)
    .max(23)
    .describe('The hour at which it is sent, in the timezone of the project; default: 8.'),
};

export const getsNothing = 'must not be empty without a digest: leave it out for all';
export const notOfWeek = 'must be from 1 for Monday to 7, as the digest is weekly';
const withoutDigest = 'must be left out without a digest';

export const findTimesOfNone = (given: {
  readonly digest_day?: number | undefined;
  readonly digest_hour?: number | undefined;
}): Fault[] =>
  (['digest_day', 'digest_hour'] as const)
    .filter((name) => given[name] !== undefined)
    .map((name) => ({ pointer: `/${name}`, code: 'invalid_value', message: withoutDigest }));

export const isOfWeek = ({ digest, digest_day: day = 1 }: { digest?: unknown; digest_day?: number | undefined }) =>
  digest !== 'weekly' || day <= 7;

const isObject = ({ value }: { readonly value: unknown }): boolean => typeof value === 'object' && value !== null;

/** The body that makes an endpoint. A kind that this instance cannot send is a fault of `kind`. */
export const endpointBody = (abilities: Abilities) =>
  z
    .strictObject({
      kind: z
        .enum(kinds)
        .refine((kind) => kind !== 'email' || abilities.sendsMail, {
          error: 'must not be email: this instance sends none until FARTHING_SMTP_URL and FARTHING_SMTP_FROM are set',
        })
        .refine((kind) => kind === 'email' || abilities.keepsSecrets, {
          error: 'must not be webhook or slack: on PostgreSQL their secrets need FARTHING_SECRETS_KEY',
        })
        .describe('`webhook` is signed by Standard Webhooks, `slack` is an incoming webhook of Slack.'),
      url: urlField(abilities).optional(),
      address: addressField.optional(),
      alerts: alertsField.default(null),
      enabled: z.boolean().default(true),
      digest: digestFields.digest.default(null),
      digest_day: digestFields.digest_day.optional(),
      digest_hour: digestFields.digest_hour.optional(),
    })
    .superRefine(
      (body, context) => {
        if (Array.isArray(body.alerts) && body.alerts.length === 0 && body.digest === null) {
          context.addIssue({ code: 'custom', path: ['alerts'], message: getsNothing, params: { code: 'empty' } });
        }
        if (body.digest === null) {
          for (const { pointer, code, message } of findTimesOfNone(body)) {
            context.addIssue({ code: 'custom', path: [pointer.slice(1)], message, params: { code } });
          }
        }
        if (!isOfWeek(body)) {
          const params = { code: 'invalid_value' };
          context.addIssue({ code: 'custom', path: ['digest_day'], message: notOfWeek, params });
        }
        // Runs despite faults of other fields when the body is an object, so `kind` can be anything.
        if (!kinds.includes(body.kind)) return;
        for (const name of ['url', 'address'] as const) {
          const isWanted = (name === 'address') === (body.kind === 'email');
          const isGiven = body[name] !== undefined;
          if (isWanted === isGiven) continue;
          const message = `must be ${isWanted ? 'given' : 'left out'} for ${body.kind}`;
          const code = isWanted ? 'required' : 'invalid_value';
          context.addIssue({ code: 'custom', path: [name], message, params: { code } });
        }
      },
      { when: isObject },
    )
    .meta({ examples: [{ kind: 'webhook', url: exampleUrl, alerts: ['budget', 'anomaly'] }] });

export const endpointChange = (abilities: Abilities) =>
  z
    .strictObject({
      url: urlField(abilities).optional(),
      address: addressField.optional(),
      alerts: alertsField.optional(),
      enabled: z.boolean().optional(),
      digest: digestFields.digest.optional(),
      digest_day: digestFields.digest_day.optional(),
      digest_hour: digestFields.digest_hour.optional(),
    })
    .meta({ examples: [{ enabled: false }] });

export const exampleEndpoint = {
  id: 'nep_01M7Y941FKWY4H7YZZC39E96E8',
  kind: 'webhook' as const,
  url: exampleUrl,
  address: null,
  alerts: ['budget' as const, 'anomaly' as const],
  enabled: true,
  disabled_reason: null,
  digest: 'weekly' as const,
  digest_day: 1,
  digest_hour: 8,
  old_secret_until: null,
  waiting: 0,
  created_at: '2026-11-21T05:26:29.684Z',
  updated_at: '2026-11-21T05:26:29.684Z',
};
export const exampleSecret = 'whsec_RVhBTVBMRS1PRi1BLVNFQ1JFVC1OT1QtQS1SRUFMLTE=';

export const endpointFields = z.object({
  id: z.string(),
  kind: z.enum(kinds),
  url: z.string().nullable().describe('For Slack only the host is shown, because the path is a secret.'),
  address: z.string().nullable(),
  alerts: z.array(z.enum(alertKinds)).nullable().describe('Null for all.'),
  enabled: z.boolean(),
  disabled_reason: z.enum(['gone']).nullable().describe('`gone`: it answered 410 and was disabled for it.'),
  digest: digestFields.digest,
  digest_day: digestFields.digest_day.nullable(),
  digest_hour: digestFields.digest_hour.nullable(),
  old_secret_until: timeField.nullable().describe('Until when the secret before the last rotation signs too.'),
  waiting: z.number().int().describe('How many deliveries wait for their first or next attempt.'),
  created_at: timeField,
  updated_at: timeField,
});

export const attemptFields = z.object({
  id: z.string(),
  webhook_id: z.string().describe('The id of the delivery: the same for all its attempts.'),
  notification: z.object({
    id: z.string(),
    alert: z.enum(alertKinds).nullable().describe('Null for a digest and a test.'),
    event: z.enum(['fired', 'ended', 'digest', 'test']),
  }),
  state: z.enum(['waiting', 'delivered', 'given_up']).describe('The state of the delivery now.'),
  at: timeField,
  status: z.number().int().nullable().describe('The HTTP status, or the reply code of the SMTP server.'),
  error: z.string().nullable().describe('Why it failed; null when it was delivered.'),
  duration_ms: z.number().int(),
  next_attempt_at: timeField.nullable().describe('Null when it was delivered or given up.'),
});

export const exampleAttempt = {
  id: 'nat_01M7Y941FKWY4H7YZZC39E96E9',
  webhook_id: 'msg_5f2b7c0f8a3d4e6f9b1c2d3e4f5a6b7c',
  notification: { id: 'fir_01M7Y940HM46W4C89N0CDQSXWE', alert: 'budget' as const, event: 'fired' as const },
  state: 'waiting' as const,
  at: '2026-11-21T05:26:33.101Z',
  status: 500,
  error: 'answered with status 500',
  duration_ms: 84,
  next_attempt_at: '2026-11-21T05:26:38.020Z',
};
