import { AsyncLocalStorage } from 'node:async_hooks';

export const actorKinds = ['admin_token', 'api_key', 'member', 'stripe', 'job', 'command', 'service'] as const;

/** Who makes changes, for the audit log. */
export interface Actor {
  readonly kind: (typeof actorKinds)[number];
  /** The id of an API key, of a member or of a Stripe webhook; the name of a job or command. */
  readonly id?: string | undefined;
  /** The name of an API key, or of a member, who is named by the e-mail address otherwise. */
  readonly name?: string | undefined;
  readonly address?: string | undefined;
  /** The request: its method and the path of its route. */
  readonly request?: string | undefined;
}

/** What the service does by itself, such as making the first project at its start. */
const service: Actor = { kind: 'service' };

const actors = new AsyncLocalStorage<Actor | 'unrecorded'>();

/** Does work, and all that it starts, as an actor. */
export const actingAs = <T>(actor: Actor, work: () => T): T => actors.run(actor, work);

/**
 * Does work that changes nothing that anybody stated, such as copying rows into an empty store, or deleting what an
 * erasure must leave no trace of. The audit log has no entries of it.
 */
export const unrecorded = <T>(work: () => T): T => actors.run('unrecorded', work);

/** Who makes the current changes; undefined for work that is not recorded. */
export function currentActor(): Actor | undefined {
  const actor = actors.getStore() ?? service;
  return actor === 'unrecorded' ? undefined : actor;
}
