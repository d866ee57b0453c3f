import { z } from 'zod';
import { type AlertKind, alertKinds } from '../kinds/kinds.ts';

/** A notification, a digest, or the test of an endpoint, as it is stored until it is sent. */
export const storedContent = z
  .object({
    /**
     * Stable: the same cause gives the same id. It stays in the log of attempts, so it has no name of a customer or
     * user in it.
     */
    id: z.string(),
    projectId: z.string(),
    projectName: z.string(),
    kind: z.enum([...alertKinds, 'digest', 'test']),
    event: z.enum(['fired', 'ended', 'digest', 'test']),
    /** When it happened, in milliseconds since 1970. */
    at: z.number(),
    /** One line. */
    title: z.string(),
    text: z.string(),
    /** The page that shows it, such as `/customers/acme?…`. */
    path: z.string(),
    /** The numbers and their subject. No secrets: it is sent to other services. */
    data: z.record(z.string(), z.unknown()).readonly(),
  })
  .readonly();

export type Content = z.output<typeof storedContent>;

/** What is sent to the endpoints of a project (D20.5). */
export interface Notification extends Omit<Content, 'projectName' | 'kind' | 'event'> {
  readonly kind: AlertKind;
  readonly event: 'fired' | 'ended';
}
