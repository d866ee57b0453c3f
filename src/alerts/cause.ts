import { hash } from 'node:crypto';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [field: string]: Json };
export type JsonFields = { readonly [field: string]: Json };

/** What a cause is about: equal subjects of a kind are the same cause. Its fields are always in the same order. */
export type Subject = { readonly [field: string]: string | number };

/** Something that a rule has found in the numbers of a project. */
export interface Cause {
  readonly subject: Subject;
  /** Whom it is about: an erasure deletes the firing. */
  readonly customer?: string;
  readonly user?: string;
  /**
   * `holds` fires. `lingers` fires nothing, and keeps open what has fired before: numbers that move around a limit do
   * not fire again and again.
   */
  readonly state: 'holds' | 'lingers';
  /** With the API's field names. */
  readonly numbers: JsonFields;
  /** A few words. */
  readonly title: string;
  /** A sentence or two. */
  readonly text: string;
  /** Of the page that shows the numbers. */
  readonly path: string;
}

/** The text by which a cause is known: of one length, however long its names are. */
export const identify = ({ subject }: Pick<Cause, 'subject'>): string => hash('sha256', JSON.stringify(subject));
