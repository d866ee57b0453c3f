import type { Outcome } from '../../../ingest/gateways/outcome-event.ts';
import type { Day, Period } from '../../../lib/days.ts';
import type { JsonObject } from '../../../lib/json-object.ts';
import type { CostApi } from '../../invoices/files/cost-pages.ts';

/** Who used it, as ids at the provider. */
export interface UsedBy {
  readonly key: string | undefined;
  readonly workspace: string | undefined;
  readonly user: string | undefined;
}

/** The usage of one bucket and grouping. Its outcome's id tells it from all others of the part and day. */
export interface ReportedUsage {
  readonly day: Day;
  readonly by: UsedBy;
  readonly outcome: Outcome;
  /** The feature of the call where the table of names has none. */
  readonly feature?: string;
}

/** One interface of a provider, in buckets of a UTC day. */
export interface Part {
  /** Names it in the state of an account. */
  readonly name: string;
  /** How many days one request asks for, at most. */
  readonly days: number;
  /** The days that can be asked for, as days before today. Default: any up to today. */
  readonly reach?: { readonly first: number; readonly last: number };
  /** Whether an account may lack it: then 403 or 404 leaves it as it is. */
  readonly isOptional?: boolean;
  readonly path: string;
  readonly query: (span: Period) => readonly (readonly [name: string, value: string])[];
  /** The costs in a page; absent where it has none. */
  readonly costs?: { readonly api: CostApi; readonly toPage: (page: JsonObject) => JsonObject };
  /** The usage in a page; absent where it has none. @throws PageFault */
  readonly usage?: (page: JsonObject) => readonly ReportedUsage[];
}

export interface ProviderApi {
  /** Without a slash at the end. */
  readonly url: string;
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  readonly parts: readonly Part[];
}

/** Why a page of usage can't be read, as a predicate. */
export class PageFault extends Error {
  override readonly name = 'PageFault';
}

/**
 * When a day's calls are, in milliseconds after its beginning in UTC: at 10:00 the date is the same in all timezones
 * from UTC-10 to UTC+13.
 */
export const callsAtMs = 10 * 3_600_000;
