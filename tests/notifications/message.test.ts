import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { toMail, toSlackBody, toWebhookBody } from '../../src/alerting/notifications/message.ts';
import type { Content } from '../../src/alerting/notifications/notification.ts';

const content: Content = {
  ...{
    id: 'n',
    projectId: 'prj_1',
    projectName: 'Shop',
    kind: 'anomaly',
    event: 'fired',
    at: Date.UTC(2026, 0, 15),
    data: {},
  },
  ...{ title: 'Twice the usual day', text: 'acme cost $20 instead of $10.', path: '/customers/acme' },
};

/** What an incoming webhook of Slack takes, with its limits. */
const plainText = (most: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: z.string().min(1).max(most), emoji: z.literal(false) });
/** The only text with markup: a link to the page. */
const link = z.strictObject({
  type: z.literal('mrkdwn'),
  text: z
    .string()
    .max(3_000)
    .regex(/^<https:\/\/farthing\.example\.com\/[^<>|\s]*\|Show>$/),
  verbatim: z.literal(true),
});
const slackBody = z.strictObject({
  text: z.string().min(1).max(40_000),
  mrkdwn: z.literal(false),
  blocks: z.tuple([
    z.strictObject({ type: z.literal('header'), text: plainText(150) }),
    z.strictObject({ type: z.literal('section'), text: plainText(3_000) }),
    z.strictObject({ type: z.literal('context'), elements: z.tuple([z.union([plainText(3_000), link])]) }),
  ]),
  unfurl_links: z.literal(false),
  unfurl_media: z.literal(false),
});
const toOneLine = (text: string) => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
const readSlack = (body: string) => slackBody.parse(JSON.parse(body));

test('D20.5: Slack gets the title, the text, and a link to the page', () => {
  const { text, blocks } = readSlack(toSlackBody(content, 'https://farthing.example.com/'));
  expect(text).toBe('Shop: Twice the usual day');
  expect(blocks.slice(0, 2).map((block) => 'text' in block && block.text.text)).toEqual([
    'Shop: Twice the usual day',
    'acme cost $20 instead of $10.',
  ]);
  expect(blocks[2].elements[0].text).toBe('<https://farthing.example.com/customers/acme|Show>');
  expect(readSlack(toSlackBody({ ...content, event: 'ended' }, undefined)).text).toBe(
    'Shop: Ended: Twice the usual day',
  );
  expect(readSlack(toSlackBody(content, undefined)).blocks[2].elements[0].text).toBe('/customers/acme');
});

test('D20.5: names of customers cannot mention people or make links in Slack', () => {
  const hostile = {
    ...content,
    title: '<!channel> & *<@U1>*',
    text: '<https://evil.example.com|Show> https://evil.example.com',
  };
  const { text, blocks } = readSlack(toSlackBody(hostile, undefined));
  // The text of a notification is no object, so it has entities.
  expect(text).toBe('Shop: &lt;!channel&gt; &amp; *&lt;@U1&gt;*');
  expect(blocks[0].text.text).toBe(`Shop: ${hostile.title}`);
  expect(blocks[1].text.text).toBe(hostile.text);
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
      const some = { ...content, ...told, title: `t${told.title}`, text: `t${told.text}`, path: `/${told.path}` };
      const body = readSlack(toSlackBody(some, 'https://farthing.example.com'));
      expect(body.text).not.toMatch(/[<>]/);
      expect(toMail(some, undefined).subject).not.toMatch(/[\r\n]/);
      const sent = JSON.parse(toWebhookBody(some, undefined)).data;
      expect(sent.title).toBe(toOneLine(some.title));
    }),
    { numRuns: 100 },
  );
});

test('D20.5: a name cannot begin a further line, or turn the direction of one, in any kind of message', () => {
  const name = 'acme\r\n\nPaid in full\u2028at\u0085once\u0000 \u202e\u2066\u200bx\u2069';
  const hostile = { ...content, title: `${name} cost more`, text: `${name} cost $20.` };
  const line = 'acme Paid in full at once x cost $20.';
  const [title, section] = readSlack(toSlackBody(hostile, undefined)).blocks;
  expect([title.text.text, section.text.text]).toEqual(['Shop: acme Paid in full at once x cost more', line]);
  expect(toMail(hostile, undefined)).toEqual({
    subject: '[Farthing] Shop: acme Paid in full at once x cost more',
    text: `${line}\n\n/customers/acme\n`,
  });
  expect(JSON.parse(toWebhookBody(hostile, undefined)).data).toMatchObject({ text: line });
});
