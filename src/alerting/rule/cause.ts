import { hash } from 'node:crypto';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [field: string]: Json };
export type JsonFields = { readonly [field: string]: Json };

/** What a cause is about: equal subjects of a kind are the same cause. Its fields are always in the same order. */
export type Subject = { readonly [field: string]: string | number };

/** A reason to alert that a rule has found in the numbers of a project. */
export interface Cause {
  readonly subject: Subject;
  /** The customer or user that it is about: their erasure deletes the firing. */
  readonly customer?: string;
  readonly user?: string;
  /** `holds` fires; `lingers` only keeps a firing open, so that numbers around a limit do not fire again and again. */
  readonly state: 'holds' | 'lingers';
  /** With the API's field names. */
  readonly numbers: JsonFields;
  /** A few words. */
  readonly title: string;
  /** A sentence or two. */
  readonly text: string;
  /** The path of the page that shows the numbers. */
  readonly path: string;
}

/** The text that identifies a cause; its length does not depend on the names in it. */
export const identify = ({ subject }: Pick<Cause, 'subject'>): string => hash('sha256', JSON.stringify(subject));
