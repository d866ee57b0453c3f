import { sendMessage } from '../alerting/notifications/send.ts';
import type { Config } from '../config.ts';

/** How long the sender of an invitation waits for the e-mail, in milliseconds. */
const attemptMs = 10_000;

/**
 * Sends the one-time links of members by e-mail; the answer says why one could not be sent. Undefined without a server for
 * e-mail, or without a public address: that of a request could be anybody's.
 */
export function toSendLink({ mail, publicUrl }: Pick<Config, 'mail' | 'publicUrl'>) {
  if (mail === undefined || publicUrl === undefined) return undefined;
  return async (to: string, link: string, expiresAt: number): Promise<string | undefined> => {
    const text = `You are invited to Farthing. This link signs you in once, until ${new Date(expiresAt).toUTCString()}:\n\n${link}\n\nIf you do not expect it, ignore it.\n`;
    const message = { to, subject: 'Sign in to Farthing', text };
    const { error } = await sendMessage(mail, message, { attemptMs, signal: AbortSignal.timeout(2 * attemptMs) });
    return error ?? undefined;
  };
}
