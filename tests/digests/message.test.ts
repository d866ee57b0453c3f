import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toDocument } from '../../src/alerting/digests/document.ts';
import { type Digest, exampleDigest } from '../../src/alerting/digests/wire.ts';
import { toMail, toSlackBody, toWebhookBody } from '../../src/alerting/notifications/message.ts';
import type { Content } from '../../src/alerting/notifications/notification.ts';

const publicUrl = 'https://farthing.example.com/';

function contentOf(digest: Digest, projectName = 'Shop'): Content {
  const { title, path } = toDocument(digest, projectName);
  return {
    ...{ id: 'dig_1', projectId: 'prj_1', projectName, kind: 'digest', event: 'digest', at: Date.UTC(2026, 10, 23) },
    ...{ title, text: '', path, data: digest },
  };
}

test('D33: a digest says how it went in words, in every form', () => {
  const content = contentOf(exampleDigest);
  const { subject, text, html = '' } = toMail(content, publicUrl);
  expect(subject).toBe('[Farthing] Shop, 16 to 22 November: a margin of $487.50');
  expect(text.split('\n\n')).toEqual([
    [
      'In figures',
      'Cost: $412.50, 8.6% more than the week before',
      'Revenue: $900.00, 2.3% more than the week before',
      'Margin: $487.50, 54.2% of revenue, after $500.00 the week before',
      'Calls: 18,200 calls, 1.4% more than the week before',
      'Complete: 36 calls without a known cost',
    ].join('\n'),
    'What changed the cost most\nacme: $21.40 more, mostly because of more calls',
    '1 unprofitable customer\nacme: lost $12.50',
    '1 open alert\nhouse-llm has no price',
    'Credits that end\nStart-up credits: $312.50 left, up to 9 December',
    'https://farthing.example.com/?from=2026-11-16&to=2026-11-22\n',
  ]);
  for (const line of [
    'lost $12.50',
    'href="https://farthing.example.com/customers/acme?from=2026-11-16&amp;to=2026-11-22"',
  ]) {
    expect(html).toContain(line);
  }
  const slack = JSON.parse(toSlackBody(content, publicUrl));
  expect(slack.blocks.map(({ type }: { type: string }) => type)).toEqual([
    'header',
    ...Array(5).fill('section'),
    'context',
  ]);
  expect(slack.blocks[2].text.text).toBe('What changed the cost most\nacme: $21.40 more, mostly because of more calls');
  expect(JSON.parse(toWebhookBody(content, publicUrl))).toMatchObject({
    type: 'digest',
    data: { alert: null, details: exampleDigest, url: 'https://farthing.example.com/?from=2026-11-16&to=2026-11-22' },
  });
});

test('D33: no name becomes markup, a further line or a link of another site', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom(
      '<img src=x onerror=alert(1)>',
      '"><a href="https://evil.example">',
      'a\nBcc: eve@example.com',
      '<!channel>',
      '\'&<>"',
    ),
  );
  fc.assert(
    fc.property(hostile, hostile, (name, projectName) => {
      const content = contentOf(
        {
          ...exampleDigest,
          changes: [{ dimension: 'customer', name, difference: -3, cause: { name: 'mix', amount: -3 } }],
          unprofitable: { count: 1, customers: [{ customer: name, margin: -1 }] },
        },
        projectName,
      );
      const { subject, html = '', text } = toMail(content, publicUrl);
      expect(subject).not.toMatch(/[\r\n]/);
      const tags = [...html.matchAll(/<\/?([a-z][a-z0-9]*)/gi)].map(([, tag]) => tag?.toLowerCase());
      const known = [
        'html',
        'head',
        'meta',
        'title',
        'style',
        'body',
        'table',
        'tr',
        'td',
        'h1',
        'h2',
        'div',
        'a',
        'p',
      ];
      expect(tags.filter((tag) => !known.includes(tag ?? ''))).toEqual([]);
      for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g))
        expect(href).toMatch(/^https:\/\/farthing\.example\.com\//);
      expect(text.split('\n\n')).toHaveLength(6);
      const { blocks } = JSON.parse(toSlackBody(content, publicUrl));
      expect(
        blocks.slice(0, -1).every(({ text: block }: { text: { type: string } }) => block.type === 'plain_text'),
      ).toBe(true);
    }),
  );
});
