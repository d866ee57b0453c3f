import { z } from 'zod';
import { type AlertKind, alertKinds } from './alert-kinds.ts';

/** A JSON object that is sent as it is. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What is sent to the endpoints of a project (D20.5). */
export interface Notification {
  /**
   * Stable: the same cause gives the same id. It stays in the log of attempts, so it has no name of a customer or user
   * in it.
   */
  readonly id: string;
  readonly projectId: string;
  readonly kind: AlertKind;
  readonly event: 'fired' | 'ended';
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  /** One line. */
  readonly title: string;
  readonly text: string;
  /** The page that shows it, such as `/customers/acme?…`. */
  readonly path: string;
  /** The numbers and their subject. No secrets: it is sent to other services. */
  readonly data: JsonObject;
}

/** A notification, or the test of an endpoint, as it is sent. */
export interface Content extends Omit<Notification, 'kind' | 'event'> {
  readonly projectName: string;
  readonly kind: AlertKind | 'test';
  readonly event: 'fired' | 'ended' | 'test';
}

/** The content of a delivery in its stored form. */
export const storedContent: z.ZodType<Content> = z.object({
  id: z.string(),
  projectId: z.string(),
  projectName: z.string(),
  kind: z.enum([...alertKinds, 'test']),
  event: z.enum(['fired', 'ended', 'test']),
  at: z.number(),
  title: z.string(),
  text: z.string(),
  path: z.string(),
  data: z.record(z.string(), z.unknown()),
});
