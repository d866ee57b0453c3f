import { expect, test } from 'vitest';
import { type Answer, expectStatus, type Project, sharedFarthing } from '../../support/client.ts';
import { backgroundWithin, poll } from '../../support/poll.ts';

const farthing = sharedFarthing();
const path = '/api/notification-endpoints/';
const webhook = { kind: 'webhook', url: 'https://hooks.example.com/a?b=c' };

const bodyOf = (answer: Answer, status: number) => Object(expectStatus(answer, status)) as Record<string, unknown>;
const make = async (project: Project, body: unknown = webhook) => bodyOf(await project.api('POST', path, body), 201);

test('D20.5: an endpoint is made, read, changed and deleted; its secret is shown once', async () => {
  const project = await farthing.createProject();
  const { secret, ...made } = await make(project, { ...webhook, alerts: ['budget', 'no_events'] });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(made).toEqual({
    ...{ id: expect.stringMatching(/^nep_/), kind: 'webhook', url: webhook.url, address: null, waiting: 0 },
    ...{ alerts: ['budget', 'no_events'], enabled: true, disabled_reason: null, old_secret_until: null },
    ...{ digest: null, digest_day: null, digest_hour: null },
    ...{ created_at: made.created_at, updated_at: made.created_at },
  });
  const one = `${path}${made.id}/`;
  expect(bodyOf(await project.api('GET', one), 200)).toEqual(made);
  expect(bodyOf(await project.api('GET', path), 200)).toEqual({ endpoints: [made] });

  const url = 'https://other.example.com/';
  const changed = bodyOf(await project.api('PATCH', one, { url, alerts: null, enabled: false }), 200);
  expect(changed).toEqual({ ...made, url, alerts: null, enabled: false, updated_at: changed.updated_at });
  expect(bodyOf(await project.api('PATCH', one, {}), 200)).toMatchObject({ url, enabled: false });
  expect(bodyOf(await project.api('PATCH', one, { enabled: true }), 200)).toMatchObject({ url, enabled: true });

  expect((await project.api('DELETE', one)).status).toBe(204);
  expect((await project.api('GET', one)).status).toBe(404);
  expect(bodyOf(await project.api('GET', path), 200)).toEqual({ endpoints: [] });
});

test('D20.5: of a Slack URL no answer shows more than the host', async () => {
  const project = await farthing.createProject();
  const answer = await project.api('POST', path, { kind: 'slack', url: 'https://hooks.slack.com/services/T/B/hush' });
  const made = bodyOf(answer, 201);
  expect(made).toMatchObject({ kind: 'slack', url: 'https://hooks.slack.com/…', secret: null });
  const url = 'https://hooks.slack.com/services/T/B/hush-hush';
  const changed = await project.api('PATCH', `${path}${made.id}/`, { url });
  const answers = [answer, changed, await project.api('GET', path), await project.api('GET', `${path}${made.id}/`)];
  for (const { status, text } of answers) {
    expect(status).toBeLessThan(300);
    expect(text).not.toContain('hush');
  }
});

test('D20.5: a rotation gives a new secret, shown once, and says until when the old one signs', async () => {
  const project = await farthing.createProject();
  const { id, secret: old } = await make(project);
  const rotated = bodyOf(await project.api('POST', `${path}${id}/rotate-secret/`), 200);
  expect(rotated.secret).toMatch(/^whsec_/);
  expect(rotated.secret).not.toBe(old);
  const leftMs = Date.parse(String(rotated.old_secret_until)) - Date.parse(String(rotated.updated_at));
  expect(leftMs).toBe(24 * 3_600_000);
  const { text } = await project.api('GET', `${path}${id}/`);
  expect(text).not.toContain('whsec_');
});

test('D20.5: a test is an attempt in the log, newest first and by page; a failed test is not repeated', async () => {
  const project = await farthing.createProject();
  // Names below .invalid have no address, so every attempt fails at once.
  const { id } = await make(project, { ...webhook, url: 'https://hooks.invalid/', enabled: false });
  const attemptsOf = async (query = '') => bodyOf(await project.api('GET', `${path}${id}/attempts/${query}`), 200);
  expect(await attemptsOf()).toEqual({ attempts: [], next_cursor: null, has_more: false });
  const ids: unknown[] = [];
  for (let count = 1; count <= 2; count += 1) {
    ids.push(bodyOf(await project.api('POST', `${path}${id}/test/`), 202).webhook_id);
    await poll('the test was tried', { within: backgroundWithin }, async () =>
      Object(await attemptsOf()).attempts.length === count ? true : undefined,
    );
  }
  const { attempts } = await attemptsOf();
  const tried = attempts as Record<string, unknown>[];
  expect(tried.map(({ webhook_id }) => webhook_id)).toEqual(ids.toReversed());
  expect(tried[0]).toEqual({
    ...{ id: expect.stringMatching(/^nat_/), webhook_id: ids[1], at: expect.any(String) },
    notification: { id: expect.stringMatching(/^nts_/), alert: null, event: 'test' },
    ...{ state: 'given_up', status: null, error: expect.stringMatching(/^could not be reached/) },
    ...{ duration_ms: expect.any(Number), next_attempt_at: null },
  });
  const first = await attemptsOf('?limit=1');
  expect(first).toMatchObject({ attempts: [tried[0]], has_more: true });
  const second = await attemptsOf(`?limit=1&cursor=${first.next_cursor}`);
  expect(second).toEqual({ attempts: [tried[1]], next_cursor: null, has_more: false });
  expect(bodyOf(await project.api('GET', `${path}${id}/`), 200)).toMatchObject({ waiting: 0, enabled: false });
});
