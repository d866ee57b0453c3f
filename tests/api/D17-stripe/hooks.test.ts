import { expect, test } from 'vitest';
import { expectStatus, send, sharedFarthing } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { allMargin } from '../../support/margin.ts';
import { backgroundWithin, poll } from '../../support/poll.ts';
import { expectProblem } from '../../support/problem.ts';
import { apiVersions, eventsOf } from '../../support/stripe.ts';
import { january, makeHook, postAll, postEvent, revenueOf, secret, signatureOf, stripeOf } from './support.ts';

const farthing = sharedFarthing();
const other = 'whsec_C2FVsBQIhrscChlQIMV0bbFxTMaWhRbU';

test('D17.1: a paid invoice of each version becomes an entry over the period of its line, net of tax, and counts in margin', async () => {
  const project = await farthing.createProject();
  const hook = await makeHook(project);
  for (const version of apiVersions) {
    const { lines } = january();
    const taxed = lines.map((line) => ({ ...line, tax: 5_890 }));
    await postAll(project, hook, eventsOf(january({ id: `in_${version}`, customer: version, version, lines: taxed })));
  }
  expect(await revenueOf(project)).toMatchObject(
    apiVersions.map((version) => ({
      external_id: `stripe:in_${version}:il_in_${version}_0`,
      ...{ customer: version, amount: 310, currency: 'USD', original_amount: 310, source: 'stripe' },
      ...{ date_from: '2026-01-01', date_to: '2026-01-31' },
    })),
  );
  const rows = await allMargin(project, { date_from: '2026-01-03', date_to: '2026-01-03', group_by: 'customer' });
  expect(rows.map(({ customer, revenue }) => [customer, revenue])).toEqual(apiVersions.map((name) => [name, 10]));
  const { hooks } = await stripeOf(project);
  expect(hooks).toMatchObject([
    { id: hook.id, events: 4, last_event_at: '2026-01-01T00:01:00.000Z', last_refusal: null },
  ]);
});

test('D17.1: an event that comes again changes nothing', async () => {
  const project = await farthing.createProject();
  const hook = await makeHook(project);
  const events = eventsOf(january({ refunds: [{ at: Date.UTC(2026, 0, 5) / 1_000, amount: 3_100 }] }));
  await postAll(project, hook, events);
  const before = [await revenueOf(project), await stripeOf(project)];
  await postAll(project, hook, events.toReversed());
  expect([await revenueOf(project), await stripeOf(project)]).toEqual(before);
  expect(before[0]).toMatchObject([{ amount: -31, date_from: '2026-01-05', date_to: '2026-01-05' }, { amount: 310 }]);
});

test('D17.1: what is forged, too old, unsigned, oversized, or no event is refused and changes nothing', async () => {
  const project = await farthing.createProject();
  const hook = await makeHook(project);
  const [event = {}] = eventsOf(january());
  const now = Math.floor(Date.now() / 1_000);
  const url = `${farthing.url}${hook.url_path}`;
  expectProblem(await postEvent(project, hook, event, { by: other }), 400, 'invalid_body');
  expectProblem(await postEvent(project, hook, event, { at: now - 310 }), 400, 'invalid_body');
  expectProblem(await postEvent(project, hook, event, { at: now + 330 }), 400, 'invalid_body');
  const raw = JSON.stringify(event);
  expectProblem(await send('POST', url, { raw }), 400, 'invalid_body');
  const signed = { 'stripe-signature': signatureOf(raw) };
  expectProblem(await send('POST', url, { raw: raw.replace('31000', '99000'), headers: signed }), 400, 'invalid_body');
  for (const header of ['', 't=,v1=', `t=${now}`, `t=${now},v1=zz`, `t=x,v1=${'0'.repeat(64)}`, 'v1'.repeat(4_000)]) {
    expectProblem(await send('POST', url, { raw, headers: { 'stripe-signature': header } }), 400, 'invalid_body');
  }
  expectProblem(
    await send('POST', url, { raw: `{"a":"${'x'.repeat(1_048_576)}"}`, headers: signed }),
    413,
    'payload_too_large',
  );
  const thin = await postEvent(project, hook, { id: 'evt_1', object: 'v2.core.event', type: 'v1.invoice.paid' });
  expect(expectProblem(thin, 400, 'invalid_body').errors?.map(({ pointer }) => pointer)).toEqual(['/created', '/data']);
  const bad = await postEvent(project, hook, {
    ...event,
    data: { object: { object: 'invoice', id: 'in_1', created: 'x' } },
  });
  expect(expectProblem(bad, 400, 'invalid_body').errors?.map(({ pointer }) => pointer)).toEqual(
    expect.arrayContaining([
      '/data/object/created',
      '/data/object/currency',
      '/data/object/total',
      '/data/object/lines',
    ]),
  );
  expect(await revenueOf(project)).toEqual([]);
  const { hooks } = await stripeOf(project);
  expect(hooks).toMatchObject([{ events: 0, last_event_at: null }]);
  expect(hooks[0].last_refusal.reason).toBe('No signature is by the signing secret of this hook.');
  // Other events are taken, and say nothing of revenue.
  expectStatus(await postEvent(project, hook, { ...event, type: 'invoice.finalized' }), 200);
  expect(await revenueOf(project)).toEqual([]);
});

test('D17.1: a hook is made, rotated and deleted; its secret is in no answer', async () => {
  const project = await farthing.createProject();
  const stranger = await farthing.createProject();
  const hook = await makeHook(project, { customer_key: 'tenant' });
  const one = `/api/stripe/${hook.id}/`;
  expect((await project.api('GET', '/api/stripe/')).text).not.toContain('whsec_');
  expectProblem(await stranger.api('PATCH', one, { signing_secret: other }), 404, 'not_found');
  expectProblem(await stranger.api('DELETE', one), 404, 'not_found');
  const changed = await project.api('PATCH', one, { signing_secret: other });
  expect(expectStatus(changed, 200)).toMatchObject({ id: hook.id, customer_key: 'tenant', has_old_secret: true });
  const [event = {}] = eventsOf(january());
  for (const by of [secret, other]) expectStatus(await postEvent(project, hook, event, { by }), 200);
  // The same once more is no rotation; a third one ends the first.
  expectStatus(await project.api('PATCH', one, { signing_secret: other }), 200);
  expectStatus(await postEvent(project, hook, event), 200);
  expectStatus(await project.api('PATCH', one, { signing_secret: `${other}x` }), 200);
  expectProblem(await postEvent(project, hook, event), 400, 'invalid_body');
  expect((await project.api('DELETE', one)).status).toBe(204);
  expectProblem(await postEvent(project, hook, event), 404, 'not_found');
  expect((await stripeOf(project)).hooks).toEqual([]);
  expect(await revenueOf(project)).toHaveLength(1);
  const faulty = await project.api('POST', '/api/stripe/', { signing_secret: 'sk_live_1', customer_key: '', x: 1 });
  expect(expectProblem(faulty, 400, 'invalid_body').errors).toHaveLength(3);
});

test('D17.1: entries from Stripe are neither deleted nor replaced by hand', async () => {
  const project = await farthing.createProject();
  await postAll(project, await makeHook(project), eventsOf(january()));
  const [{ external_id: id } = { external_id: '' }] = await revenueOf(project);
  expectProblem(await project.api('DELETE', `/api/revenue/${encodeURIComponent(id)}/`), 409, 'conflict');
  const entries = [
    { external_id: 'mine', customer: 'a', amount: 1, date_from: '2026-01-01' },
    { external_id: id, customer: 'a', amount: 1, date_from: '2026-01-01' },
  ];
  const answer = await project.api('POST', '/api/revenue/', { entries });
  expect(expectProblem(answer, 400, 'invalid_body').errors?.map(({ pointer }) => pointer)).toEqual([
    '/entries/1/external_id',
  ]);
  expect(await revenueOf(project)).toHaveLength(1);
});

longTest('D17.1: a hook is answered within 100 ms', async () => {
  const project = await farthing.createProject();
  const hook = await makeHook(project);
  const took: number[] = [];
  for (let index = 0; index < 20; index += 1) {
    const [event = {}] = eventsOf(january({ id: `in_${index}` }));
    const since = performance.now();
    expectStatus(await postEvent(project, hook, event), 200);
    took.push(performance.now() - since);
  }
  expect(took.sort((a, b) => a - b)[10]).toBeLessThan(100);
});

test('D17.1, D2: with a new timezone, entries are of the days of their periods there', async () => {
  const project = await farthing.createProject({ timezone: 'UTC' });
  await postAll(project, await makeHook(project), eventsOf(january()));
  expect(await revenueOf(project)).toMatchObject([{ date_from: '2026-01-01', date_to: '2026-01-31', amount: 310 }]);
  expectStatus(await farthing.admin('PATCH', `${project.adminPath}/`, { timezone: 'America/New_York' }), 200);
  const [entry] = await poll('entries have days of the new timezone', { within: backgroundWithin }, async () => {
    const entries = await revenueOf(project);
    return entries[0]?.date_from === '2026-01-01' ? undefined : entries;
  });
  expect(entry).toMatchObject({ date_from: '2025-12-31', date_to: '2026-01-30', amount: 310 });
});
