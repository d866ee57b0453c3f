import { Webhook } from 'standardwebhooks';
import { toTime } from '../lib/times.ts';
import type { Content } from './notification.ts';

/** The forms in which one notification is sent. */

/** The address of the page that shows it; undefined where the address of the service is not configured. */
const linkOf = ({ path }: Content, publicUrl: string | undefined): string | undefined =>
  publicUrl === undefined ? undefined : `${publicUrl.replace(/\/$/, '')}${path}`;

/** The body of a webhook, in the form that Standard Webhooks recommends. The same for every attempt. */
export const toWebhookBody = (content: Content, publicUrl: string | undefined): string =>
  JSON.stringify({
    type: `alert.${content.event}`,
    timestamp: toTime(content.at),
    data: {
      notification_id: content.id,
      project_id: content.projectId,
      alert: content.kind === 'test' ? null : content.kind,
      title: content.title,
      text: content.text,
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

/** The most characters of a title, and of everything else: Slack takes 3,000 in a text, and entities count in full. */
const maxTitle = 500;
const maxText = 2_400;

/** The body for an incoming webhook of Slack. */
export function toSlackBody(content: Content, publicUrl: string | undefined): string {
  const title = escapeSlack(titleOf(content), maxTitle);
  const link = linkOf(content, publicUrl)?.replaceAll('|', '%7C');
  const target = link === undefined ? undefined : escapeSlack(link, maxText);
  const shown = target === undefined || target.endsWith('…') ? escapeSlack(content.path, maxText) : `<${target}|Show>`;
  return JSON.stringify({
    text: title,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `*${title}*\n${escapeSlack(content.text, maxText)}` } },
      { type: 'context', elements: [{ type: 'mrkdwn', text: shown }] },
    ],
    unfurl_links: false,
  });
}

/** The three characters that begin links and mentions in Slack. */
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Text that Slack shows as it is, at most `most` characters, with an ellipsis where it is cut. */
function escapeSlack(text: string, most: number): string {
  let escaped = '';
  for (const character of text) {
    const next = entities[character] ?? character;
    if (escaped.length + next.length >= most) return `${escaped}…`;
    escaped += next;
  }
  return escaped;
}

/** The title on one line. */
const titleOf = ({ event, title }: Content): string =>
  `${event === 'ended' ? 'Ended: ' : ''}${title.replaceAll(/\s+/g, ' ').trim()}`;

/** The subject and text of an e-mail. */
export const toMail = (content: Content, publicUrl: string | undefined): { subject: string; text: string } => ({
  subject: `[Farthing] ${[...titleOf(content)].slice(0, maxTitle).join('')}`,
  text: `${content.text}\n\n${linkOf(content, publicUrl) ?? content.path}\n`,
});
