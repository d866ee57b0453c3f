import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, type Json, sharedFarthing } from '../../support/client.ts';
import { expectInvalid } from '../../support/problem.ts';

const farthing = sharedFarthing();
const [before, now] = [
  { date_from: '2026-05-04', date_to: '2026-05-10' },
  { date_from: '2026-05-11', date_to: '2026-05-17' },
];

test('D33: a digest has the figures of the routes for its days, in HTML that runs and loads nothing', async () => {
  const project = await farthing.createProject({ name: 'A <b>bot</b>' });
  const evil = '<script>alert(1)</script>';
  const call = (cost: number, customer: string, day: string) => ({
    ...costEvent({ cost, customer, model: 'm1', provider: 'p' }),
    timestamp: `2026-05-${day}T12:00:00Z`,
  });
  await project.post(call(5, 'acme', '05'), call(7, 'acme', '12'), call(9, evil, '13'), call(2, '', '17'));
  await project.post({
    ...{ event_id: randomUUID(), event_type: 'chat.after' },
    model: 'no-such',
    provider: 'p',
    timestamp: '2026-05-14T00:00:00Z',
    prompt_tokens: 5,
  });
  expectStatus(
    await project.api('POST', '/api/revenue/', {
      entries: [{ customer: 'acme', amount: 28, date_from: '2026-05-04', date_to: '2026-05-17', external_id: 'r1' }],
    }),
    200,
  );
  const ask = async (path: string, body: Json) => Object(expectStatus(await project.api('POST', path, body), 200));
  const { digest, subject, text, html } = await ask('/api/digests/preview/', { every: 'weekly', on: '2026-05-18' });
  const whole = async (path: string, range: Json) => (await ask(path, { ...range, aggregate: 'all' })).rows[0];
  for (const [name, path] of Object.entries({
    cost: 'costs',
    calls: 'usage',
    revenue: 'margin',
    margin: 'margin',
    margin_pct: 'margin',
  })) {
    const expected = {
      now: (await whole(`/api/${path}/`, now))[name],
      before: (await whole(`/api/${path}/`, before))[name],
    };
    expect([name, digest[name]]).toEqual([name, expected]);
  }
  const changes = await ask('/api/changes/', { ...now, before_from: before.date_from, before_to: before.date_to });
  expect(digest.changes[0]).toMatchObject({
    dimension: 'model',
    name: 'm1',
    difference: changes.by_model.rows[0].difference,
  });
  const margins = await ask('/api/margin/', { ...now, aggregate: 'all', group_by: 'customer' });
  expect(digest.unprofitable).toEqual({
    count: 1,
    customers: margins.rows
      .filter((row: Json) => row.customer === evil)
      .map(({ customer, margin }: Json) => ({ customer, margin })),
  });
  expect(digest).toMatchObject({ ...now, before_from: before.date_from, before_to: before.date_to });
  expect(digest.completeness).toMatchObject({ unpriced_calls: 1, priced_share: 0.75 });

  expect(subject).toBe('[Farthing] A <b>bot</b>, 11 to 17 May: a loss of $4.00');
  expect(text).toContain('Cost: $18.00, 260.0% more than the week before');
  expect(text).toContain(`${evil}: lost $9.00`);
  expect(html).not.toMatch(/<script|<img|<link|url\(|@import|javascript:|<b>/i);
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
});

test('D33: a project without data has a digest, and one of an internal project has no revenue', async () => {
  const project = await farthing.createProject({ type: 'internal', name: 'Quiet' });
  const answer = await project.api('POST', '/api/digests/preview/', { every: 'monthly', on: '2026-03-01' });
  const { digest, subject } = Object(expectStatus(answer, 200));
  expect(digest).toMatchObject({
    date_from: '2026-02-01',
    date_to: '2026-02-28',
    before_from: '2026-01-01',
    revenue: null,
    margin: null,
  });
  expect(subject).toBe('[Farthing] Quiet, February 2026: $0.00');
});

test('D33: an endpoint takes a digest with its day and hour, and says every fault of them', async () => {
  const project = await farthing.createProject();
  const path = '/api/notification-endpoints/';
  const url = 'https://hooks.example.com/farthing';
  const made = Object(expectStatus(await project.api('POST', path, { kind: 'webhook', url, digest: 'weekly' }), 201));
  expect(made).toMatchObject({ digest: 'weekly', digest_day: 1, digest_hour: 8 });
  const change = (body: Json) => project.api('PATCH', `${path}${made.id}/`, body);
  expect(expectStatus(await change({ digest_day: 5, digest_hour: 0 }), 200)).toMatchObject({
    digest: 'weekly',
    digest_day: 5,
    digest_hour: 0,
  });
  expect(expectStatus(await change({ enabled: true }), 200)).toMatchObject({ digest_day: 5 });
  expect(expectStatus(await change({ digest: 'monthly' }), 200)).toMatchObject({
    digest: 'monthly',
    digest_day: 1,
    digest_hour: 0,
  });
  expect(expectStatus(await change({ digest_day: 28 }), 200)).toMatchObject({ digest_day: 28 });
  expectInvalid(await change({ digest: 'weekly', digest_day: 8 }), ['/digest_day']);
  expect(expectStatus(await change({ digest: null }), 200)).toMatchObject({
    digest: null,
    digest_day: null,
    digest_hour: null,
  });
  const withoutDigest = { digest_day: 3, digest_hour: 7 };
  expectInvalid(await change(withoutDigest), ['/digest_day', '/digest_hour']);
  expectInvalid(await project.api('POST', path, { kind: 'webhook', url, ...withoutDigest }), [
    '/digest_day',
    '/digest_hour',
  ]);
  const wrong = { kind: 'webhook', url, digest: 'daily', digest_day: 29, digest_hour: 24 };
  expectInvalid(await project.api('POST', path, wrong), ['/digest', '/digest_day', '/digest_hour']);
  expectInvalid(await project.api('POST', '/api/digests/preview/', { every: 'daily', on: 'x' }), ['/every', '/on']);
});

test('D33: what lacks revenue or the first days of time is told so, and digests alone may be asked for', async () => {
  const project = await farthing.createProject({ name: 'Free' });
  await project.post({
    ...costEvent({ cost: 5, customer: 'acme', model: 'm1', provider: 'p' }),
    timestamp: '2026-05-12T12:00:00Z',
  });
  const preview = (body: Json) => project.api('POST', '/api/digests/preview/', body);
  const { digest, subject, text } = Object(expectStatus(await preview({ every: 'weekly', on: '2026-05-18' }), 200));
  expect(subject).toBe('[Farthing] Free, 11 to 17 May: $5.00, nothing the week before');
  expect(digest.unprofitable).toEqual({ count: 0, customers: [] });
  expect(text).toContain('Margin: not known without revenue of these days');
  for (const body of [
    { every: 'weekly', on: '2000-01-14' },
    { every: 'monthly', on: '2000-02-29' },
  ]) {
    expectInvalid(await preview(body), ['/on']);
  }
  expectStatus(await preview({ every: 'weekly', on: '2000-01-15' }), 200);

  const path = '/api/notification-endpoints/';
  const fields = { kind: 'webhook', url: 'https://hooks.example.com/farthing', alerts: [] };
  expectInvalid(await project.api('POST', path, fields), ['/alerts']);
  const made = Object(expectStatus(await project.api('POST', path, { ...fields, digest: 'weekly' }), 201));
  expectInvalid(await project.api('PATCH', `${path}${made.id}/`, { digest: null }), ['/digest']);
  expectStatus(await project.api('PATCH', `${path}${made.id}/`, { digest: null, alerts: null }), 200);
  expectInvalid(await project.api('PATCH', `${path}${made.id}/`, { alerts: [] }), ['/alerts']);
});
