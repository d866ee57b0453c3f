// A good request to every route of Stripe.
import { expectStatus } from '../../support/client.ts';
import { eventsOf, invoiceOf } from '../../support/stripe.ts';
import { january, makeHook, postEvent } from '../D17-stripe/support.ts';
import type { Drive } from './world.ts';

const rate = { currency: 'EUR', day: '2024-05-01', usd: '1.0875' };
const putPair = (id: string) => ({ customers: [{ stripe_customer: id, customer: 'described' }] });

export const stripe: Record<string, Drive> = {
  'POST /hooks/stripe/{hook_id}/': async ({ project }) => {
    const hook = await makeHook(project);
    const [event = {}] = eventsOf(january({ id: 'in_described' }));
    return [await postEvent(project, hook, event), await postEvent(project, hook, event, { by: 'whsec_another' })];
  },
  'GET /api/stripe/': async ({ project }) => {
    await makeHook(project);
    return await project.api('GET', '/api/stripe/');
  },
  'POST /api/stripe/': async ({ project }) => [
    await project.api('POST', '/api/stripe/', { signing_secret: 'whsec_described', customer_key: 'tenant' }),
    await project.api('POST', '/api/stripe/', { signing_secret: 'sk_1' }),
  ],
  'PATCH /api/stripe/{id}/': async ({ project }) =>
    await project.api('PATCH', `/api/stripe/${(await makeHook(project)).id}/`, { signing_secret: 'whsec_described' }),
  'DELETE /api/stripe/{id}/': async ({ project }) =>
    await project.api('DELETE', `/api/stripe/${(await makeHook(project)).id}/`),
  'POST /api/stripe/objects/': async ({ project }) => [
    await project.api('POST', '/api/stripe/objects/', { objects: [invoiceOf(january({ id: 'in_posted' }), 'paid')] }),
    await project.api('POST', '/api/stripe/objects/', { objects: [{ object: 'invoice' }] }),
  ],
  'GET /api/stripe/customers/': async ({ project }) => [
    await project.api('GET', '/api/stripe/customers/?limit=1'),
    await project.api('GET', '/api/stripe/customers/?cursor=nonsense'),
  ],
  'PUT /api/stripe/customers/': async ({ project }) => [
    await project.api('PUT', '/api/stripe/customers/', putPair('cus_put')),
    await project.api('PUT', '/api/stripe/customers/', putPair('')),
  ],
  'DELETE /api/stripe/customers/{stripe_customer}/': async ({ project }) => {
    expectStatus(await project.api('PUT', '/api/stripe/customers/', putPair('cus_deleted')), 200);
    return await project.api('DELETE', '/api/stripe/customers/cus_deleted/');
  },
  'GET /api/exchange-rates/': async ({ project }) => {
    expectStatus(await project.api('PUT', '/api/exchange-rates/', rate), 200);
    return await project.api('GET', '/api/exchange-rates/?currency=EUR&limit=1');
  },
  'PUT /api/exchange-rates/': async ({ project }) => [
    await project.api('PUT', '/api/exchange-rates/', { rates: [rate] }),
    await project.api('PUT', '/api/exchange-rates/', { ...rate, currency: 'USD' }),
  ],
  'DELETE /api/exchange-rates/{currency}/{day}/': async ({ project }) => {
    expectStatus(await project.api('PUT', '/api/exchange-rates/', { ...rate, day: '2024-06-01' }), 200);
    return await project.api('DELETE', '/api/exchange-rates/EUR/2024-06-01/');
  },
};
