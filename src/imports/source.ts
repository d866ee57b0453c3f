import type { JsonObject } from '../calls/usage-counts.ts';
import type { Outcome } from '../gateways/outcome-event.ts';

/** What a record of an export is. */
export type RecordReading =
  /** One call, or several where counts exceed what one event may have. */
  | { readonly kind: 'calls'; readonly outcomes: readonly Outcome[]; readonly cost: number | undefined }
  /** Something else that the export has, such as a span. */
  | { readonly kind: 'other' }
  | { readonly kind: 'fault'; readonly fault: string };

/** A system whose exports can be imported (D16.2). */
export interface ImportSource {
  readonly title: string;
  /** What to export, for the message about a file that has none of it. */
  readonly hint: string;
  /** The records in a value of a file; a page of an API holds many. */
  readonly unpack: (value: JsonObject) => readonly JsonObject[];
  readonly read: (record: JsonObject) => RecordReading;
  /** For a call within another record: which record that is, and which one this is. */
  readonly nesting?: (record: JsonObject) => { readonly self: string; readonly parent: string | undefined } | undefined;
}

export const other: RecordReading = { kind: 'other' };
export const faultOf = (fault: string): RecordReading => ({ kind: 'fault', fault });
