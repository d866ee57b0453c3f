import type { JsonObject } from '../../lib/json-object.ts';
import type { Outcome } from '../gateways/outcome-event.ts';

/** What one record of an export is. */
export type RecordResult =
  /** One call, or several if the counts are too large for one event. */
  | { readonly kind: 'calls'; readonly outcomes: readonly Outcome[]; readonly cost: number | undefined }
  /** A record that is no call, such as a span. */
  | { readonly kind: 'other' }
  | { readonly kind: 'fault'; readonly fault: string };

/** A system whose exports can be imported (D16.2). */
export interface ImportSource {
  readonly title: string;
  /** Says what to export, in the error message for a file without calls. */
  readonly hint: string;
  /** The records in a value of a file. A page of an API has many. */
  readonly unpack: (value: JsonObject) => readonly JsonObject[];
  readonly read: (record: JsonObject) => RecordResult;
  /** For records within others: the key of this record and of its parent. */
  readonly nesting?: (record: JsonObject) => { readonly self: string; readonly parent: string | undefined } | undefined;
}

export const other: RecordResult = { kind: 'other' };
export const faultOf = (fault: string): RecordResult => ({ kind: 'fault', fault });
