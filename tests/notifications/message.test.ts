import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { toMail, toSlackBody, toWebhookBody } from '../../src/notifications/message.ts';
import type { Content } from '../../src/notifications/notification.ts';

const content: Content = {
  ...{ id: 'n', projectId: 'prj_1', kind: 'anomaly', event: 'fired', at: Date.UTC(2026, 0, 15), data: {} },
  ...{ title: 'Twice the usual day', text: 'acme cost $20 instead of $10.', path: '/customers/acme' },
};

/** What an incoming webhook of Slack takes, with its limits. */
const slackText = z.strictObject({ type: z.literal('mrkdwn'), text: z.string().min(1).max(3_000) });
const slackBody = z.strictObject({
  text: z.string().min(1).max(40_000),
  blocks: z.tuple([
    z.strictObject({ type: z.literal('section'), text: slackText }),
    z.strictObject({ type: z.literal('context'), elements: z.array(slackText).min(1).max(10) }),
  ]),
  unfurl_links: z.literal(false),
});
const readSlack = (body: string) => slackBody.parse(JSON.parse(body));

test('D20.5: Slack gets the title, the text, and a link to the page', () => {
  const { text, blocks } = readSlack(toSlackBody(content, 'https://farthing.example.com/'));
  expect(text).toBe('Twice the usual day');
  expect(blocks[0].text.text).toBe('*Twice the usual day*\nacme cost $20 instead of $10.');
  expect(blocks[1].elements[0]?.text).toBe('<https://farthing.example.com/customers/acme|Show>');
  expect(readSlack(toSlackBody({ ...content, event: 'ended' }, undefined)).text).toBe('Ended: Twice the usual day');
  expect(readSlack(toSlackBody(content, undefined)).blocks[1].elements[0]?.text).toBe('/customers/acme');
});

test('D20.5: names of customers cannot mention people or make links in Slack', () => {
  const hostile = { ...content, title: '<!channel> & <@U1>', text: '<https://evil.example.com|Show>' };
  const body = toSlackBody(hostile, undefined);
  expect(body).not.toMatch(/<[!@#h]/);
  expect(readSlack(body).blocks[0].text.text).toBe(
    '*&lt;!channel&gt; &amp; &lt;@U1&gt;*\n&lt;https://evil.example.com|Show&gt;',
  );
});

test('D20.5: any notification is within the limits of Slack, is one line as a subject, and keeps its JSON', () => {
  // Long texts of characters that become longer: entities for Slack, escapes for JSON, pairs of UTF-16.
  const unit = fc.constantFrom('&', '<', '>', '"', '\\', '\r\n', ' ', 'é', '😀', '*', 'a');
  const text = fc
    .tuple(fc.string({ maxLength: 20 }), unit, fc.nat(5_000))
    .map(([start, one, n]) => start + one.repeat(n));
  const cases = fc.record({ title: text, text, path: text });
  fc.assert(
    fc.property(cases, (told) => {
      const some = { ...content, ...told, title: `t${told.title}`, path: `/${told.path}` };
      const body = readSlack(toSlackBody(some, 'https://farthing.example.com'));
      expect(JSON.stringify(body)).not.toMatch(/<[!@#]/);
      expect(toMail(some, undefined).subject).not.toMatch(/[\r\n]/);
      expect(JSON.parse(toWebhookBody(some, undefined)).data.title).toBe(some.title);
    }),
    { numRuns: 100 },
  );
});
