import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { backgroundWithin, poll } from '../../support/poll.ts';
import { expectProblem } from '../../support/problem.ts';
import { customerEvent, eventsOf, invoiceOf } from '../../support/stripe.ts';
import { coverageOf, january, makeHook, postAll, postEvent, revenueOf, stripeOf } from './support.ts';

const farthing = sharedFarthing();
const pairs = '/api/stripe/customers/';

test('D17.2: a Stripe customer is named by metadata, else by its pair, else by its id, for the past too', async () => {
  const project = await farthing.createProject();
  const hook = await makeHook(project, { customer_key: 'tenant' });
  await postAll(project, hook, [
    ...eventsOf(january({ id: 'in_named', metadata: { tenant: 'acme' } })),
    ...eventsOf(january({ id: 'in_of_subscription', subscriptionMetadata: { tenant: 'globex' } })),
    ...eventsOf(january({ id: 'in_plain' })),
  ]);
  const names = async () => (await revenueOf(project)).map(({ customer }) => customer);
  expect(await names()).toEqual(['acme', 'globex', 'cus_1']);
  expect((await coverageOf(project)).unmapped_revenue).toEqual([{ stripe_customer: 'cus_1', amount: 310, entries: 1 }]);
  // An application that calls its customers so.
  await project.post(costEvent({ timestamp: '2026-01-02T00:00:00Z', cost: 1, tags: { customer: 'cus_1' } }));
  expect((await coverageOf(project)).unmapped_revenue).toEqual([]);

  const body = { customers: [{ stripe_customer: 'cus_1', customer: 'initech' }] };
  expect(expectStatus(await project.api('PUT', pairs, body), 200)).toEqual({ ok: true, pairs_stored: 1 });
  expect(await names()).toEqual(['acme', 'globex', 'initech']);
  expect(expectStatus(await project.api('GET', pairs), 200)).toMatchObject(body);
  await postAll(project, hook, [customerEvent('cus_1', { tenant: 'umbrella' }, 1_767_225_600)]);
  expect(await names()).toEqual(['acme', 'globex', 'umbrella']);
  expect((await project.api('DELETE', `${pairs}cus_1/`)).status).toBe(204);
  expectProblem(await project.api('DELETE', `${pairs}cus_1/`), 404, 'not_found');
  expectStatus(await project.api('PATCH', `/api/stripe/${hook.id}/`, { customer_key: null }), 200);
  await poll('the entries are made again', { within: backgroundWithin }, async () =>
    (await names()).every((name) => name === 'cus_1') ? true : undefined,
  );
  const twice = [
    { stripe_customer: 'a', customer: 'b' },
    { stripe_customer: 'a', customer: '' },
  ];
  expect(expectProblem(await project.api('PUT', pairs, { customers: twice }), 400, 'invalid_body').errors).toHaveLength(
    3,
  );
});

test('D17.3: revenue in another currency counts by the last rate on or before the day of its invoice', async () => {
  const project = await farthing.createProject();
  const hook = await makeHook(project);
  const { lines } = january();
  const yen = lines.map((line) => ({ ...line, amount: 31_000 }));
  await postAll(project, hook, [
    ...eventsOf(january({ id: 'in_eur', currency: 'eur' })),
    ...eventsOf(january({ id: 'in_jpy', currency: 'jpy', lines: yen })),
  ]);
  const amounts = async () => (await revenueOf(project)).map(({ amount }) => amount);
  expect(await revenueOf(project)).toMatchObject([
    { amount: null, currency: 'EUR', original_amount: 310 },
    { amount: null, currency: 'JPY', original_amount: 31_000 },
  ]);
  expect((await coverageOf(project, 'date_from=2026-01-01&date_to=2026-01-01')).revenue_without_rate).toEqual([
    { currency: 'JPY', amount: 1_000, entries: 1 },
    { currency: 'EUR', amount: 10, entries: 1 },
  ]);
  const put = async (body: unknown) => expectStatus(await project.api('PUT', '/api/exchange-rates/', body), 200);
  await put({ currency: 'EUR', day: '2026-01-02', usd: 9 });
  expect(await amounts()).toEqual([null, null]);
  await put({
    rates: [
      { currency: 'eur', day: '2025-12-01', usd: '1.1' },
      { currency: 'JPY', day: '2026-01-01', usd: 0.0065 },
    ],
  });
  expect(await amounts()).toEqual([341, 201.5]);
  expect((await coverageOf(project)).revenue_without_rate).toEqual([]);
  expect(expectStatus(await project.api('GET', '/api/exchange-rates/?currency=EUR&limit=1'), 200)).toMatchObject({
    rates: [{ currency: 'EUR', day: '2025-12-01', usd: 1.1 }],
    has_more: true,
  });
  expect((await project.api('DELETE', '/api/exchange-rates/EUR/2025-12-01/')).status).toBe(204);
  expect(await amounts()).toEqual([null, 201.5]);
  const single = await project.api('PUT', '/api/exchange-rates/', { currency: 'USD', day: '2026-02-30', usd: 0, x: 1 });
  expect(
    expectProblem(single, 400, 'invalid_body')
      .errors?.map(({ pointer }) => pointer)
      .sort(),
  ).toEqual([...['/currency', '/day', '/usd', '/x']]);
});

test('D17.2: objects of the API are taken once, all or none, and complete what webhooks cut off', async () => {
  const project = await farthing.createProject();
  const hook = await makeHook(project);
  const [line = { amount: 0, from: 0, to: 0 }] = january().lines;
  const long = january({ lines: Array.from({ length: 12 }, () => line) });
  await postAll(project, hook, eventsOf(long));
  expect((await revenueOf(project)).map(({ external_id: id }) => id)).toContain('stripe:in_1:rest');
  const objects = [invoiceOf(long, 'paid', true), { object: 'payout', id: 'po_1' }];
  const post = async (body: unknown) => await project.api('POST', '/api/stripe/objects/', body);
  expect(expectStatus(await post({ objects }), 200)).toEqual({ ok: true, objects: 1, changed: 1, ignored: 1 });
  expect((await revenueOf(project)).map(({ amount }) => amount)).toEqual(Array(12).fill(310));
  expect(expectStatus(await post({ objects }), 200)).toMatchObject({ changed: 0 });
  const bad = await post({ objects: [invoiceOf(january({ id: 'in_2' }), 'paid'), { object: 'charge', id: 'ch_1' }] });
  expect(expectProblem(bad, 400, 'invalid_body').errors?.map(({ pointer }) => pointer)).toContain(
    '/objects/1/amount_refunded',
  );
  expect(await revenueOf(project)).toHaveLength(12);
});

longTest('D17.1: a refund of no known invoice counts nothing until the invoice is known, and is told', async () => {
  const project = await farthing.createProject();
  const hook = await makeHook(project);
  const refunds = [{ at: Date.UTC(2026, 0, 5) / 1_000, amount: 31_000 }];
  const events = eventsOf(january({ version: '2026-07-29', refunds }));
  for (const event of events.toReversed().slice(0, 1)) expectStatus(await postEvent(project, hook, event), 200);
  expect((await stripeOf(project)).unlinked).toEqual({ credit_notes: 0, refunds: 1 });
  await postAll(project, hook, events);
  expect((await stripeOf(project)).unlinked).toEqual({ credit_notes: 0, refunds: 0 });
  expect((await revenueOf(project)).map(({ amount }) => amount).sort()).toEqual([-310, 310]);
});

test('D2: what Stripe says of an erased customer is erased too', async () => {
  const project = await farthing.createProject();
  const hook = await makeHook(project);
  const events = eventsOf(january());
  await postAll(project, hook, events);
  expectStatus(await project.api('PUT', pairs, { customers: [{ stripe_customer: 'cus_1', customer: 'acme' }] }), 200);
  const erased = await farthing.send('DELETE', '/api/customers/acme/', {
    token: farthing.adminToken,
    headers: { 'farthing-project': project.id },
  });
  expectStatus(erased, 202);
  await poll('the entries are erased', { within: backgroundWithin }, async () =>
    (await revenueOf(project)).length === 0 ? true : undefined,
  );
  expect(expectStatus(await project.api('GET', pairs), 200)).toMatchObject({ customers: [] });
  // Nothing is known of it any more: the same event is news.
  await postAll(project, hook, events);
  expect((await stripeOf(project)).hooks).toMatchObject([{ events: 2 }]);
});
