// Hooks of Stripe over HTTP, signed by Stripe's own package.
import Stripe from 'stripe';
import { z } from 'zod';
import { type Answer, expectStatus, type Project } from '../../support/client.ts';
import type { Json, MadeInvoice } from '../../support/stripe.ts';

export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const { webhooks } = new Stripe('sk_test_none');

const hookFields = z.object({ id: z.string(), url_path: z.string() });
export type Hook = z.infer<typeof hookFields>;

/** Makes a hook. */
export const makeHook = async (project: Project, fields: Json = {}): Promise<Hook> =>
  hookFields.parse(expectStatus(await project.api('POST', '/api/stripe/', { signing_secret: secret, ...fields }), 201));

interface Signing {
  readonly by?: string;
  /** Seconds since 1970. */
  readonly at?: number;
}

export const signatureOf = (payload: string, { by = secret, at }: Signing = {}): string =>
  webhooks.generateTestHeaderString({ payload, secret: by, ...(at !== undefined && { timestamp: at }) });

/** Posts an event to a hook as Stripe does. */
export async function postEvent(project: Project, hook: Hook, event: Json, signing: Signing = {}): Promise<Answer> {
  const raw = JSON.stringify(event);
  const headers = { 'stripe-signature': signatureOf(raw, signing) };
  return await project.farthing.send('POST', hook.url_path, {
    raw,
    headers,
    contentType: 'application/json; charset=utf-8',
  });
}

export async function postAll(project: Project, hook: Hook, events: readonly Json[]): Promise<void> {
  for (const event of events) expectStatus(await postEvent(project, hook, event), 200);
}

/** An invoice of one line over January 2026, paid on 1 January. */
export const january = (fields: Partial<MadeInvoice> = {}): MadeInvoice => ({
  id: 'in_1',
  customer: 'cus_1',
  currency: 'usd',
  version: '2024-06-20',
  madeAt: Date.UTC(2026, 0, 1) / 1_000,
  fate: 'paid',
  lines: [{ amount: 31_000, from: Date.UTC(2026, 0, 1) / 1_000, to: Date.UTC(2026, 1, 1) / 1_000 }],
  creditNotes: [],
  refunds: [],
  ...fields,
});

export interface RevenueRow extends Json {
  external_id: string;
  customer: string;
  amount: number | null;
}

export const revenueOf = async (project: Project): Promise<RevenueRow[]> =>
  Object(expectStatus(await project.api('GET', '/api/revenue/?limit=1000'), 200)).rows;

export const stripeOf = async (project: Project) => Object(expectStatus(await project.api('GET', '/api/stripe/'), 200));

export const coverageOf = async (project: Project, query = 'date_from=2026-01-01&date_to=2026-01-31') =>
  Object(expectStatus(await project.api('GET', `/api/coverage/?${query}`), 200));
