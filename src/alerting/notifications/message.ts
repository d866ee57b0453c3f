import { Webhook } from 'standardwebhooks';
import { toTime } from '../../lib/times.ts';
import { type DigestDocument, toDocument } from '../digests/document.ts';
import { toHtml } from '../digests/html.ts';
import { digestSchema } from '../digests/wire.ts';
import type { Content } from './notification.ts';

/** The forms in which one notification is sent. */

/** The address of a page; undefined where the address of the service is not configured. */
const linkOf = ({ path }: Pick<Content, 'path'>, publicUrl: string | undefined): string | undefined =>
  publicUrl === undefined ? undefined : `${publicUrl.replace(/\/$/, '')}${path}`;

/** What a digest says, without what could look like another line of it; undefined for alerts and tests. */
function documentOf({ kind, data, projectName }: Content): DigestDocument | undefined {
  if (kind !== 'digest') return undefined;
  const { title, path, sections } = toDocument(digestSchema.parse(data), projectName);
  return {
    ...{ title: toLine(title), path },
    sections: sections.map(({ heading, lines }) => ({
      heading,
      lines: lines.map((line) => ({ ...line, label: toLine(line.label), text: toLine(line.text) })),
    })),
  };
}

/** The body of a webhook, in the form that Standard Webhooks recommends. The same for every attempt. */
export const toWebhookBody = (content: Content, publicUrl: string | undefined): string =>
  JSON.stringify({
    type: content.kind === 'digest' ? 'digest' : `alert.${content.event}`,
    timestamp: toTime(content.at),
    data: {
      notification_id: content.id,
      project_id: content.projectId,
      project_name: content.projectName,
      alert: content.kind === 'test' || content.kind === 'digest' ? null : content.kind,
      title: toLine(content.title),
      text: toLine(content.text),
      path: content.path,
      url: linkOf(content, publicUrl) ?? null,
      details: content.data,
    },
  });

/** The headers of a webhook (Standard Webhooks), with a signature for each secret. `at` is the time of the attempt. */
export function signWebhook(id: string, body: string, secrets: readonly string[], at: number): Record<string, string> {
  const timestamp = new Date(at);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, timestamp, body)).join(' '),
  };
}

/** The most characters of a title, and of everything else: Slack takes 150 in a header and 3,000 in a text. */
const maxTitle = 150;
const maxText = 2_400;
/** The most characters of a subject. */
const maxSubject = 500;

/** Names of customers are in plain text alone: mrkdwn would make links and mentions of them. */
export function toSlackBody(content: Content, publicUrl: string | undefined): string {
  const title = titleOf(content);
  const document = documentOf(content);
  const link = linkOf(content, publicUrl)
    ?.replaceAll(/[|<>\s]/g, encodeURIComponent)
    .replaceAll('&', '&amp;');
  const shown = link !== undefined && link.length <= maxText ? `<${link}|Show>` : undefined;
  const context =
    shown === undefined ? plainText(toLine(content.path), maxText) : { type: 'mrkdwn', text: shown, verbatim: true };
  return JSON.stringify({
    // What notifications show; the blocks stand in for it.
    text: escapeSlack(title, maxText),
    mrkdwn: false,
    blocks: [
      { type: 'header', text: plainText(title, maxTitle) },
      ...(document
        ? document.sections.map((section) => ({ type: 'section', text: plainText(toText(section), maxText) }))
        : [{ type: 'section', text: plainText(toLine(content.text), maxText) }]),
      { type: 'context', elements: [context] },
    ],
    unfurl_links: false,
    unfurl_media: false,
  });
}

const plainText = (text: string, most: number) => ({ type: 'plain_text', text: cut(text, most), emoji: false });

/** The three characters that begin links and mentions in Slack. */
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escapeSlack = (text: string, most: number): string =>
  cut(text, most / 5).replaceAll(/[&<>]/g, (character) => entities[character] ?? character);

/** At most `most` UTF-16 units, with an ellipsis where it is cut. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** On one line, as a name must not look like a further one, and without characters that turn text or show nothing. */
const toLine = (text: string): string =>
  text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .trim();

const toText = ({ heading, lines }: DigestDocument['sections'][number]): string =>
  [heading, ...lines.map(({ label, text }) => (text === '' ? label : `${label}: ${text}`))].join('\n');

/** A channel may get the alerts of several projects. The title of a digest names its project. */
const titleOf = ({ kind, event, title, projectName }: Content): string =>
  toLine(kind === 'digest' ? title : `${projectName}: ${event === 'ended' ? 'Ended: ' : ''}${title}`);

export function toMail(
  content: Content,
  publicUrl: string | undefined,
): { readonly subject: string; readonly text: string; readonly html?: string } {
  const document = documentOf(content);
  const subject = `[Farthing] ${[...titleOf(content)].slice(0, maxSubject).join('')}`;
  const body = document ? document.sections.map(toText).join('\n\n') : toLine(content.text);
  const text = `${body}\n\n${linkOf(content, publicUrl) ?? content.path}\n`;
  if (!document) return { subject, text };
  return { subject, text, html: toHtml(document, (path) => linkOf({ path }, publicUrl)) };
}
