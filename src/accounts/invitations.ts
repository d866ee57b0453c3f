import { hashSecret, newSecret } from '../lib/ids.ts';
import { type ControlQueries, type ControlSources, findRow } from '../storage/control/control-store.ts';
import { newValues } from '../storage/control/new-values.ts';
import type { InvitationRow } from '../storage/control/schema/member-rows.ts';
import { lockMember } from './members.ts';

/** How long a link is valid, in milliseconds (D34.1). */
const lifetimeMs = 24 * 3_600_000;

export interface Invitation {
  /** Available only here. */
  readonly secret: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Makes the one-time link of a member, which replaces an open one.
 * @param shownTo the members who may open it themselves, because they see it
 */
export async function makeInvitation(
  { memberId, shownTo }: { readonly memberId: string; readonly shownTo: readonly string[] },
  { control: queries, clock }: { readonly control: ControlQueries; readonly clock: ControlSources['clock'] },
): Promise<Invitation> {
  const secret = newSecret('fi');
  const now = clock();
  const expiresAt = now + lifetimeMs;
  await queries
    .insertInto('invitations')
    .values({
      ...{ hash: hashSecret(secret), member_id: memberId, created_at: now, expires_at: expiresAt },
      shown_to: shownTo.length > 0 ? JSON.stringify(shownTo) : null,
    })
    .onConflict((conflict) =>
      conflict.column('member_id').doUpdateSet(newValues('hash', 'shown_to', 'created_at', 'expires_at')),
    )
    .execute();
  return { secret, expiresAt };
}

/** Tells that a link was sent, and so shown to nobody else. */
export async function noteSent(secret: string, queries: ControlQueries): Promise<void> {
  await queries.updateTable('invitations').set({ shown_to: null }).where('hash', '=', hashSecret(secret)).execute();
}

/**
 * Uses up a link, in the caller's transaction, and locks its member, who may be removed meanwhile. Undefined when the link
 * is unknown, used or expired.
 */
export async function redeemInvitation(
  secret: string,
  { control: transaction, clock }: { readonly control: ControlQueries; readonly clock: ControlSources['clock'] },
): Promise<Pick<InvitationRow, 'member_id' | 'shown_to'> | undefined> {
  const hash = hashSecret(secret);
  const memberId = await findInvited(secret, transaction);
  if (memberId === undefined) return undefined;
  await lockMember(transaction, memberId);
  const used = await transaction
    .deleteFrom('invitations')
    .where('hash', '=', hash)
    .returning(['member_id', 'shown_to', 'expires_at'])
    .executeTakeFirst();
  return used && used.expires_at > clock() ? used : undefined;
}

/** The member of an open link, which may be used or expired meanwhile. */
export async function findInvited(secret: string, queries: ControlQueries): Promise<string | undefined> {
  const found = await findRow(queries, 'invitations', { hash: hashSecret(secret) });
  return found?.member_id;
}
