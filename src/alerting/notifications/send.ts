import type { Transporter } from 'nodemailer';
import { type Answer, postGuarded, type Reach, RequestFault } from '../../lib/guarded-request.ts';
import { parseJson } from '../../lib/json.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { version } from '../../lib/version.ts';
import type { NotificationEndpointRow } from '../../storage/control/schema/schema.ts';
import type { Claimed } from './deliveries.ts';
import { signWebhook, toMail, toSlackBody, toWebhookBody } from './message.ts';
import { type Content, storedContent } from './notification.ts';

/** How long an attempt may take, in milliseconds. */
const longestAttemptMs = 15_000;

export interface MailSettings {
  /** `smtp:` or `smtps:`, with user and password if the server wants them. */
  readonly url: string;
  readonly from: string;
}

export interface SendOptions {
  readonly reach: Reach;
  /** Undefined where the secrets of endpoints cannot be opened. */
  readonly box: SecretBox | undefined;
  /** Undefined where no e-mail is sent. */
  readonly mail: MailSettings | undefined;
  /** The address of the service, for links. */
  readonly publicUrl: string | undefined;
  /** How long an attempt may take, in milliseconds. */
  readonly attemptMs?: number;
}

/** How an attempt ended. */
export interface SendResult {
  /** The HTTP status, or the reply code of the SMTP server; null when there was no answer. */
  readonly status: number | null;
  /** A predicate that says why it failed; null when it was delivered. */
  readonly error: string | null;
  readonly retryAfter: string | undefined;
  readonly isGone: boolean;
}

const failed = (error: string, status: number | null = null): SendResult => ({
  status,
  error,
  retryAfter: undefined,
  isGone: false,
});

const cannotOpen = failed('has a secret that this instance cannot open; see FARTHING_SECRETS_KEY');

/** Sends a notification to an endpoint, once. @throws the reason of `signal` when that ends it */
export async function sendOnce(
  { delivery, endpoint }: Claimed,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
  options: SendOptions,
): Promise<SendResult> {
  if (delivery.content === null) return failed('has nothing to be told');
  const content = storedContent.parse(parseJson(delivery.content));
  try {
    if (endpoint.kind === 'email') return await sendMail(delivery.id, endpoint.target, content, options, signal);
    const [url, headers, body] = prepare({ delivery, endpoint }, content, now, options) ?? [];
    if (url === undefined || body === undefined) return cannotOpen;
    const answer = await postGuarded(
      new URL(url),
      {
        headers: { 'content-type': 'application/json', 'user-agent': `Farthing/${version}`, ...headers },
        body,
        timeoutMs: options.attemptMs ?? longestAttemptMs,
        signal,
      },
      options.reach,
    );
    return toOutcome(answer);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RequestFault) return failed(error.message);
    throw error;
  }
}

/** The URL, headers and body of a request; undefined when a secret cannot be opened. */
function prepare(
  { delivery, endpoint }: Claimed,
  content: Content,
  now: number,
  { box, publicUrl }: SendOptions,
): readonly [url: string, headers: Record<string, string>, body: string] | undefined {
  if (endpoint.kind === 'slack') {
    const url = openSecret(box, endpoint.secret, endpoint.id);
    return url === undefined ? undefined : [url, {}, toSlackBody(content, publicUrl)];
  }
  const secrets = openSigningSecrets(endpoint, now, box);
  if (secrets === undefined) return undefined;
  const body = toWebhookBody(content, publicUrl);
  return [endpoint.target, signWebhook(delivery.id, body, secrets, now), body];
}

/** The secret, and the one before it for 24 hours after a rotation. */
function openSigningSecrets(
  endpoint: NotificationEndpointRow,
  now: number,
  box: SecretBox | undefined,
): string[] | undefined {
  const secret = openSecret(box, endpoint.secret, endpoint.id);
  if (secret === undefined) return undefined;
  if (endpoint.old_secret_until === null || endpoint.old_secret_until <= now) return [secret];
  const old = openSecret(box, endpoint.old_secret, endpoint.id);
  return old === undefined ? [secret] : [secret, old];
}

const openSecret = (box: SecretBox | undefined, sealed: string | null, owner: string): string | undefined =>
  box === undefined || sealed === null ? undefined : box.open(sealed, owner);

function toOutcome({ status, retryAfter }: Answer): SendResult {
  if (status >= 200 && status <= 299) return { status, error: null, retryAfter: undefined, isGone: false };
  const isRedirect = status >= 300 && status <= 399;
  const error = isRedirect ? 'answered with a redirect, which is not followed' : `answered with status ${status}`;
  return { status, error, retryAfter, isGone: status === 410 };
}

async function sendMail(
  id: string,
  to: string,
  content: Content,
  { mail, publicUrl, attemptMs = longestAttemptMs }: SendOptions,
  signal: AbortSignal,
): Promise<SendResult> {
  if (mail === undefined) return failed('needs e-mail, which is off; see FARTHING_SMTP_URL');
  const domain = mail.from.replace(/^.*@|>.*$/g, '');
  // The same for every attempt, so that mailboxes can recognise a repetition.
  const message = { to, ...toMail(content, publicUrl), messageId: `<${id}@${domain}>` };
  return await sendMessage(mail, message, { attemptMs, signal });
}

/** Sends an e-mail, once. @throws the reason of `signal` when that ends it */
export async function sendMessage(
  mail: MailSettings,
  { to, ...message }: { to: string; subject: string; text: string; html?: string; messageId?: string },
  { attemptMs = longestAttemptMs, signal }: { readonly attemptMs?: number; readonly signal: AbortSignal },
): Promise<SendResult> {
  const transport = await openTransport(mail, attemptMs);
  signal.throwIfAborted();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]);
  const end = () => {
    reject(timeout.reason);
    transport.close();
  };
  timeout.addEventListener('abort', end, { once: true });
  try {
    const sending = transport.sendMail({
      from: mail.from,
      to: { name: '', address: to },
      ...message,
      headers: { 'auto-submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    sending.catch(() => undefined);
    const { response } = await Promise.race([sending, ended]);
    return { status: Number(response.slice(0, 3)) || null, error: null, retryAfter: undefined, isGone: false };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return failed(`did not take the e-mail within ${attemptMs / 1_000} s`);
    return describeMailFailure(error);
  } finally {
    timeout.removeEventListener('abort', end);
    transport.close();
  }
}

/** Sends credentials over TLS alone, except to this machine. */
async function openTransport({ url }: MailSettings, attemptMs: number): Promise<Transporter<{ response: string }>> {
  // Half a megabyte of code, which most services never run.
  const { createTransport } = await import('nodemailer');
  const { username, hostname } = new URL(url);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  // The attempt ends first and says so. These only end the connection that it has left.
  const leftMs = 2 * attemptMs;
  return createTransport({
    url,
    requireTLS: username !== '' && !isHere,
    connectionTimeout: leftMs,
    greetingTimeout: leftMs,
    socketTimeout: leftMs,
  }) as Transporter<{ response: string }>;
}

/** Reports only the reply code or the code of the error, because the texts of servers can hold anything. */
function describeMailFailure(error: unknown): SendResult {
  if (!(error instanceof Error)) throw error;
  const status = 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : null;
  if (status !== null) return failed(`was refused by the SMTP server with ${status}`, status);
  const code = 'code' in error ? ` (${String(error.code)})` : '';
  return failed(`could not be reached over SMTP${code}`);
}
